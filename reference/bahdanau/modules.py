"""The reference of ``bahdanau`` under the contract's names."""

from __future__ import annotations

from torch import Tensor

from reference.bahdanau import functions as reference
from reference.stand_in import ReferenceModule

stable_softmax = reference.stable_softmax
softmax_vjp = reference.softmax_vjp


class BahdanauAttention(ReferenceModule):
    """Contract, section 2."""

    def __init__(self, enc_dim: int, dec_dim: int, attn_dim: int) -> None:
        super().__init__(W_s__weight=(attn_dim, dec_dim), W_h__weight=(attn_dim, enc_dim), v__weight=(1, attn_dim))

    def _weights(self) -> tuple[Tensor, Tensor, Tensor]:
        return self.weights["W_s.weight"], self.weights["W_h.weight"], self.weights["v.weight"]

    def score(self, decoder_state: Tensor, encoder_states: Tensor) -> Tensor:
        return reference.additive_score(decoder_state, encoder_states, *self._weights())

    def forward(self, decoder_state: Tensor, encoder_states: Tensor) -> tuple[Tensor, Tensor]:
        return reference.additive_attention(decoder_state, encoder_states, *self._weights())
