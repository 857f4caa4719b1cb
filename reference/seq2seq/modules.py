"""The reference of ``seq2seq`` under the contract's names.

A search raises ``Ambiguous`` if it has two right results: at ties, and on inputs where the treatment of finished
hypotheses matters (contract, ``beam_search``).
"""

from __future__ import annotations

from collections.abc import Hashable, Sequence

import torch
from torch import Tensor

from reference.seq2seq import functions as reference
from reference.stand_in import Ambiguous, ReferenceModule

MARGIN = 1e-4  # of log-probability: far more than float32 and another order of summation can shift
Shapes = dict[str, tuple[int, ...]]


def _gru(inputs: int, hidden: int, direction: str = "") -> Shapes:
    return {
        f"rnn.weight_ih_l0{direction}": (3 * hidden, inputs),
        f"rnn.weight_hh_l0{direction}": (3 * hidden, hidden),
        f"rnn.bias_ih_l0{direction}": (3 * hidden,),
        f"rnn.bias_hh_l0{direction}": (3 * hidden,),
    }


class Encoder(ReferenceModule):
    """Contract, section 2."""

    def __init__(self, vocab_size: int, emb_dim: int, hidden_dim: int) -> None:
        shapes: Shapes = {"embedding.weight": (vocab_size, emb_dim)}
        shapes |= _gru(emb_dim, hidden_dim) | _gru(emb_dim, hidden_dim, "_reverse")
        shapes |= {"bridge.weight": (hidden_dim, 2 * hidden_dim), "bridge.bias": (hidden_dim,)}
        super().__init__(**shapes)

    def forward(self, src: Tensor, lengths: Tensor) -> tuple[Tensor, Tensor]:
        return reference.encode(self.weights, src, lengths)


class BahdanauDecoder(ReferenceModule):
    """Contract, section 2."""

    def __init__(self, vocab_size: int, emb_dim: int, hidden_dim: int, enc_dim: int, attn_dim: int) -> None:
        shapes: Shapes = {"embedding.weight": (vocab_size, emb_dim)}
        shapes |= {"W_s.weight": (attn_dim, hidden_dim), "W_h.weight": (attn_dim, enc_dim)}
        shapes |= {"v.weight": (1, attn_dim)} | _gru(emb_dim + enc_dim, hidden_dim)
        shapes |= {"out.weight": (vocab_size, hidden_dim + enc_dim), "out.bias": (vocab_size,)}
        super().__init__(**shapes)

    def step(self, token: Tensor, state: Tensor, encoder_states: Tensor, mask: Tensor) -> tuple[Tensor, Tensor, Tensor]:
        return reference.bahdanau_step(self.weights, token, state, encoder_states, mask)


class LuongDecoder(ReferenceModule):
    """Contract, section 2."""

    def __init__(self, vocab_size: int, emb_dim: int, hidden_dim: int, enc_dim: int) -> None:
        shapes: Shapes = {"embedding.weight": (vocab_size, emb_dim), "W_a.weight": (hidden_dim, enc_dim)}
        shapes |= {"W_c.weight": (hidden_dim, enc_dim + hidden_dim)} | _gru(emb_dim + hidden_dim, hidden_dim)
        shapes |= {"out.weight": (vocab_size, hidden_dim), "out.bias": (vocab_size,)}
        super().__init__(**shapes)

    def step(
        self, token: Tensor, state: Tensor, fed: Tensor, encoder_states: Tensor, mask: Tensor
    ) -> tuple[Tensor, Tensor, Tensor, Tensor]:
        return reference.luong_step(self.weights, token, state, fed, encoder_states, mask)


class Seq2Seq(ReferenceModule):
    """Contract, section 2."""

    def __init__(self, encoder: Encoder, decoder: ReferenceModule, pad_id: int, bos_id: int, eos_id: int) -> None:
        super().__init__()
        self.contain(encoder=encoder, decoder=decoder)
        self.ids = (pad_id, bos_id, eos_id)

    def forward(self, src: Tensor, src_lengths: Tensor, tgt_in: Tensor) -> tuple[Tensor, Tensor]:
        return reference.seq2seq_forward(self.weights, src, src_lengths, tgt_in)

    def greedy_decode(self, src: Tensor, src_lengths: Tensor, max_len: int) -> Tensor:
        inputs = (self.weights, src, src_lengths, max_len)
        if reference.greedy_margin(*inputs, *self.ids) < MARGIN:
            raise Ambiguous
        return reference.greedy_decode(*inputs, *self.ids)

    def beam_search(self, src: Tensor, src_lengths: Tensor, beam_size: int, max_len: int) -> Tensor:
        inputs = (self.weights, src, src_lengths, beam_size, max_len)
        if not reference.beam_is_decided(*inputs, *self.ids, MARGIN):
            raise Ambiguous
        return reference.beam_search(*inputs, *self.ids)


class FixedContextSeq2Seq(ReferenceModule):
    """Contract, section 2."""

    def __init__(
        self, encoder: Encoder, vocab_size: int, emb_dim: int, hidden_dim: int, pad_id: int, bos_id: int, eos_id: int
    ) -> None:
        own: Shapes = {"embedding.weight": (vocab_size, emb_dim)} | _gru(emb_dim + hidden_dim, hidden_dim)
        own |= {"out.weight": (vocab_size, 2 * hidden_dim), "out.bias": (vocab_size,)}
        super().__init__(**own)
        self.contain(encoder=encoder)

    def forward(self, src: Tensor, src_lengths: Tensor, tgt_in: Tensor) -> Tensor:
        return reference.fixed_context_forward(self.weights, src, src_lengths, tgt_in)


def train_step(
    model: ReferenceModule,
    optimizer: torch.optim.Optimizer,
    src: Tensor,
    src_lengths: Tensor,
    tgt_in: Tensor,
    tgt_out: Tensor,
    tgt_lengths: Tensor,
    clip: float = 5.0,
) -> float:
    """Contract, section 2."""
    return reference.train_step(model.weights, optimizer, src, src_lengths, tgt_in, tgt_out, tgt_lengths, clip)


def corpus_bleu(candidates: Sequence[Sequence[Hashable]], references: Sequence[Sequence[Hashable]]) -> float:
    """Contract, section 2."""
    return reference.corpus_bleu(candidates, references)
