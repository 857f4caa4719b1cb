"""The recurrent cell, the encoder and the two decoders' steps.

Weights are looked up by the names of the students' state dicts. Cho et al. 2014 is "Learning
phrase representations using RNN encoder-decoder", EMNLP 2014, arXiv 1406.1078; Bahdanau is
arXiv 1409.0473 and Luong arXiv 1508.04025.
"""

from collections.abc import Callable, Mapping

import torch
import torch.nn.functional as F
from torch import Tensor

from reference.bahdanau.functions import additive_energy, weighted_sum
from reference.luong.functions import attentional_hidden, general_score
from reference.masking.functions import masked_softmax, padding_mask

Weights = Mapping[str, Tensor]
Carry = tuple[Tensor, ...]  # from step to step of a decoder: (state,) or (state, fed)
Step = Callable[[Tensor, Carry], tuple[Tensor, Tensor, Carry]]  # token, carry -> logits, weights, carry


def part(weights: Weights, prefix: str) -> dict[str, Tensor]:
    """Return the weights whose names start with prefix, under the names without it."""
    return {name.removeprefix(prefix): w for name, w in weights.items() if name.startswith(prefix)}


def rnn_weights(weights: Weights, direction: str = "") -> tuple[Tensor, Tensor, Tensor, Tensor]:
    """w_ih (3H, D), w_hh (3H, H), b_ih (3H,), b_hh (3H,) of one direction ("" or "_reverse")."""
    w_ih, w_hh, b_ih, b_hh = (
        weights[f"rnn.{kind}_l0{direction}"] for kind in ("weight_ih", "weight_hh", "bias_ih", "bias_hh")
    )
    return w_ih, w_hh, b_ih, b_hh


def gru_cell(x: Tensor, h: Tensor, w_ih: Tensor, w_hh: Tensor, b_ih: Tensor, b_hh: Tensor) -> Tensor:
    """One step of a gated recurrent unit: (B, D), (B, H) -> (B, H).

    Cho et al. 2014, section 2.3, equations (5) to (8), in PyTorch's form: the rows of the weights
    belong to r, z and n in this order, and the reset gate r multiplies W_hn h + b_hn as a whole.
    """
    return gru_update(F.linear(x, w_ih, b_ih), h, w_hh, b_hh)


def gru_update(from_x: Tensor, h: Tensor, w_hh: Tensor, b_hh: Tensor) -> Tensor:
    """gru_cell with from_x = W_i x + b_i already computed: (B, 3H), (B, H) -> (B, H)."""
    x_r, x_z, x_n = from_x.chunk(3, -1)  # (B, H) each
    h_r, h_z, h_n = F.linear(h, w_hh, b_hh).chunk(3, -1)  # (B, H) each
    r = torch.sigmoid(x_r + h_r)  # (B, H)
    z = torch.sigmoid(x_z + h_z)  # (B, H)
    n = torch.tanh(x_n + r * h_n)  # (B, H)
    return n + z * (h - n)  # (1 - z) n + z h, (B, H)


def encode(weights: Weights, src: Tensor, lengths: Tensor) -> tuple[Tensor, Tensor]:
    """h_j = [forward_j; backward_j], Bahdanau section 3.2, and the decoder's first state.

    (B, T_s), (B,) -> states (B, T_s, 2H), 0 at padding, and tanh(bridge of the two last states) (B, H).
    Padding leaves a state as it is: the forward one keeps the last word's, the backward one starts there.
    """
    mask = padding_mask(lengths.to(src.device), src.shape[1])  # (B, T_s)
    x = F.embedding(src, weights["embedding.weight"])  # (B, T_s, D)
    forward, last_forward = run_masked(x, mask, *rnn_weights(weights))  # (B, T_s, H), (B, H)
    backward, last_backward = run_masked(x.flip(1), mask.flip(1), *rnn_weights(weights, "_reverse"))
    states = torch.cat([forward, backward.flip(1)], -1)  # (B, T_s, 2H)
    last = torch.cat([last_forward, last_backward], -1)  # (B, 2H)
    first = torch.tanh(F.linear(last, weights["bridge.weight"], weights["bridge.bias"]))  # (B, H)
    return states.masked_fill(~mask.unsqueeze(-1), 0), first


def run_masked(
    x: Tensor, mask: Tensor, w_ih: Tensor, w_hh: Tensor, b_ih: Tensor, b_hh: Tensor
) -> tuple[Tensor, Tensor]:
    """A GRU from the zero state that steps only where mask is True: (B, T, D) -> (B, T, H), (B, H)."""
    h = x.new_zeros(x.shape[0], w_hh.shape[1])  # (B, H)
    states = []
    for from_x, real in zip(F.linear(x, w_ih, b_ih).unbind(1), mask.unsqueeze(-1).unbind(1), strict=True):
        h = torch.where(real, gru_update(from_x, h, w_hh, b_hh), h)  # (B, H)
        states.append(h)
    return torch.stack(states, 1), h


def bahdanau_step(
    weights: Weights, token: Tensor, state: Tensor, encoder_states: Tensor, mask: Tensor, keys: Tensor | None = None
) -> tuple[Tensor, Tensor, Tensor]:
    """c_t, attended to by s_{t-1}, then s_t = f(s_{t-1}, y_{t-1}, c_t), Bahdanau section 3.1, (4) to (6).

    (B,), (B, H), (B, T_s, E), (B, T_s) -> logits (B, V), state (B, H), alpha (B, T_s).
    keys is W_h h_j, if already known.
    """
    if keys is None:
        keys = F.linear(encoder_states, weights["W_h.weight"])  # (B, T_s, A)
    query = F.linear(state, weights["W_s.weight"])  # (B, A)
    alpha = masked_softmax(additive_energy(query, keys, weights["v.weight"]), mask)  # (B, T_s)
    context = weighted_sum(alpha, encoder_states)  # (B, E)
    word = F.embedding(token, weights["embedding.weight"])  # (B, D)
    state = gru_cell(torch.cat([word, context], -1), state, *rnn_weights(weights))  # (B, H)
    logits = F.linear(torch.cat([state, context], -1), weights["out.weight"], weights["out.bias"])  # (B, V)
    return logits, state, alpha


def luong_step(
    weights: Weights, token: Tensor, state: Tensor, fed: Tensor, encoder_states: Tensor, mask: Tensor
) -> tuple[Tensor, Tensor, Tensor, Tensor]:
    """s_t first, then c_t attended to by it, Luong section 3, equations (5) and (6); fed as in section 3.3.

    (B,), (B, H), (B, H), (B, T_s, E), (B, T_s)
    -> logits (B, V), state (B, H), attentional (B, H), alpha (B, T_s).
    """
    word = F.embedding(token, weights["embedding.weight"])  # (B, D)
    state = gru_cell(torch.cat([word, fed], -1), state, *rnn_weights(weights))  # (B, H)
    scores = general_score(state.unsqueeze(1), encoder_states, weights["W_a.weight"]).squeeze(1)  # (B, T_s)
    alpha = masked_softmax(scores, mask)  # (B, T_s)
    context = weighted_sum(alpha, encoder_states)  # (B, E)
    attentional = attentional_hidden(context, state, weights["W_c.weight"])  # (B, H)
    return F.linear(attentional, weights["out.weight"], weights["out.bias"]), state, attentional, alpha


def start_decoder(weights: Weights, src: Tensor, src_lengths: Tensor, copies: int = 1) -> tuple[Step, Carry]:
    """Encode src and give the decoder's step and its first carry, each sentence's rows copies times."""
    states, first = encode(part(weights, "encoder."), src, src_lengths)
    mask = padding_mask(src_lengths.to(src.device), src.shape[1])
    if copies > 1:
        states, first, mask = (x.repeat_interleave(copies, 0) for x in (states, first, mask))
    decoder = part(weights, "decoder.")
    if "W_c.weight" in decoder:

        def luong(token: Tensor, carry: Carry) -> tuple[Tensor, Tensor, Carry]:
            state, fed = carry
            logits, state, fed, alpha = luong_step(decoder, token, state, fed, states, mask)
            return logits, alpha, (state, fed)

        return luong, (first, torch.zeros_like(first))

    keys = F.linear(states, decoder["W_h.weight"])  # (B, T_s, A), the same at every step

    def bahdanau(token: Tensor, carry: Carry) -> tuple[Tensor, Tensor, Carry]:
        (state,) = carry
        logits, state, alpha = bahdanau_step(decoder, token, state, states, mask, keys)
        return logits, alpha, (state,)

    return bahdanau, (first,)
