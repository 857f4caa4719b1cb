"""Whole translation models: teacher forcing, the loss, a training step, BLEU.

The step functions are in recurrent.py and the searches in decoding.py. This module exports all functions of the
assignment.
"""

import math
from collections import Counter
from collections.abc import Hashable, Sequence

import torch
import torch.nn.functional as F
from torch import Tensor

from reference.masking.functions import masked_cross_entropy
from reference.seq2seq.decoding import beam_is_decided, beam_search, greedy_decode, greedy_margin
from reference.seq2seq.recurrent import (
    Weights,
    bahdanau_step,
    encode,
    gru_cell,
    gru_update,
    luong_step,
    part,
    rnn_weights,
    start_decoder,
)

__all__ = [
    "bahdanau_step",
    "beam_is_decided",
    "beam_search",
    "corpus_bleu",
    "encode",
    "fixed_context_forward",
    "greedy_decode",
    "greedy_margin",
    "gru_cell",
    "luong_step",
    "seq2seq_forward",
    "sequence_loss",
    "train_step",
]


def seq2seq_forward(weights: Weights, src: Tensor, src_lengths: Tensor, tgt_in: Tensor) -> tuple[Tensor, Tensor]:
    """Teacher forcing: step t reads tgt_in[:, t]. -> logits (B, T_t, V), weights (B, T_t, T_s)."""
    step, carry = start_decoder(weights, src, src_lengths)
    logits, alphas = [], []
    for token in tgt_in.unbind(1):  # (B,)
        logit, alpha, carry = step(token, carry)  # (B, V), (B, T_s)
        logits.append(logit)
        alphas.append(alpha)
    return torch.stack(logits, 1), torch.stack(alphas, 1)


def fixed_context_forward(weights: Weights, src: Tensor, src_lengths: Tensor, tgt_in: Tensor) -> Tensor:
    """The encoder-decoder without attention: one summary c of the source, read at every step.

    Cho et al. 2014, arXiv 1406.1078, section 2.2: s_t = f(s_{t-1}, y_{t-1}, c), with s_0 = c, and
    word t from s_t and c. (B, T_s), (B,), (B, T_t) -> logits (B, T_t, V).
    """
    _, c = encode(part(weights, "encoder."), src, src_lengths)  # (B, H)
    w_ih, w_hh, b_ih, b_hh = rnn_weights(weights)
    summary = c.unsqueeze(1).expand(-1, tgt_in.shape[1], -1)  # (B, T_t, H)
    words = F.embedding(tgt_in, weights["embedding.weight"])  # (B, T_t, D)
    inputs = F.linear(torch.cat([words, summary], -1), w_ih, b_ih)  # (B, T_t, 3H)
    state, states = c, []
    for from_x in inputs.unbind(1):  # (B, 3H)
        state = gru_update(from_x, state, w_hh, b_hh)  # (B, H)
        states.append(state)
    both = torch.cat([torch.stack(states, 1), summary], -1)  # (B, T_t, 2H)
    return F.linear(both, weights["out.weight"], weights["out.bias"])  # (B, T_t, V)


def sequence_loss(
    weights: Weights, src: Tensor, src_lengths: Tensor, tgt_in: Tensor, tgt_out: Tensor, tgt_lengths: Tensor
) -> Tensor:
    """Mean cross-entropy of the real target tokens, of a model with attention or with a fixed context."""
    if any(name.startswith("decoder.") for name in weights):
        logits, _ = seq2seq_forward(weights, src, src_lengths, tgt_in)
    else:
        logits = fixed_context_forward(weights, src, src_lengths, tgt_in)
    return masked_cross_entropy(logits, tgt_out, tgt_lengths)


def train_step(
    parameters: dict[str, Tensor],
    optimizer: torch.optim.Optimizer,
    src: Tensor,
    src_lengths: Tensor,
    tgt_in: Tensor,
    tgt_out: Tensor,
    tgt_lengths: Tensor,
    clip: float = 5.0,
) -> float:
    """One step of descent with the global norm clipped; the one function that changes its arguments.

    Pascanu, Mikolov and Bengio 2013, arXiv 1211.5063, algorithm 1: g <- g clip / |g| where |g| > clip.
    """
    for parameter in parameters.values():
        parameter.grad = None
    loss = sequence_loss(parameters, src, src_lengths, tgt_in, tgt_out, tgt_lengths)
    loss.backward()  # type: ignore[no-untyped-call]
    torch.nn.utils.clip_grad_norm_(parameters.values(), clip)
    optimizer.step()
    return loss.item()


def corpus_bleu(
    candidates: Sequence[Sequence[Hashable]], references: Sequence[Sequence[Hashable]], max_order: int = 4
) -> float:
    """100 BP exp(mean_n ln p_n), Papineni et al. 2002, section 2.3, with one reference each and no smoothing.

    p_n counts, over the whole corpus, the n-grams of a candidate that its reference has too, each at most
    as often as there (section 2.1); BP = exp(1 - r / c) when the candidates' length c is at most r.
    """
    log_precision = 0.0
    for n in range(1, max_order + 1):
        matches = total = 0
        for candidate, reference in zip(candidates, references, strict=True):
            grams = ngrams(candidate, n)
            matches += (grams & ngrams(reference, n)).total()
            total += grams.total()
        if matches == 0:  # also when there is no n-gram at all
            return 0.0
        log_precision += math.log(matches / total) / max_order
    c, r = sum(map(len, candidates)), sum(map(len, references))
    return 100.0 * math.exp(min(0.0, 1 - r / c) + log_precision)


def ngrams(tokens: Sequence[Hashable], n: int) -> Counter[tuple[Hashable, ...]]:
    return Counter(tuple(tokens[i : i + n]) for i in range(len(tokens) - n + 1))
