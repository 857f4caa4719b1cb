"""The reference of ``self_attention`` under the contract's names."""

from __future__ import annotations

from torch import Tensor

from reference.self_attention import functions as reference
from reference.stand_in import ReferenceModule

self_attention = reference.self_attention
scaled_dot_product_attention = reference.scaled_dot_product_attention
sinusoidal_positions = reference.sinusoidal_positions
attention_entropy = reference.attention_entropy


class SelfAttention(ReferenceModule):
    """Contract, section 2."""

    def __init__(self, d_model: int, d_k: int, d_v: int) -> None:
        super().__init__(W_Q__weight=(d_k, d_model), W_K__weight=(d_k, d_model), W_V__weight=(d_v, d_model))

    def forward(self, x: Tensor, mask: Tensor | None = None) -> tuple[Tensor, Tensor]:
        W_Q, W_K, W_V = (self.weights[f"W_{name}.weight"] for name in "QKV")
        return reference.projected_self_attention(x, W_Q, W_K, W_V, mask)


class MultiHeadAttention(ReferenceModule):
    """Contract, section 2."""

    def __init__(self, d_model: int, num_heads: int) -> None:
        if d_model % num_heads:
            raise ValueError("num_heads does not divide d_model")
        square = (d_model, d_model)
        super().__init__(W_Q__weight=square, W_K__weight=square, W_V__weight=square, W_O__weight=square)
        self.num_heads = num_heads

    def forward(self, query: Tensor, key: Tensor, value: Tensor, mask: Tensor | None = None) -> tuple[Tensor, Tensor]:
        W_Q, W_K, W_V, W_O = (self.weights[f"W_{name}.weight"] for name in "QKVO")
        return reference.multi_head_attention(query, key, value, W_Q, W_K, W_V, W_O, self.num_heads, mask)
