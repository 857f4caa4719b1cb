"""The reference of ``modern`` under the contract's names."""

from __future__ import annotations

import torch.nn.functional as F
from torch import Tensor

from reference.modern import functions, heads
from reference.stand_in import ReferenceModule

streamed_attention = functions.streamed_attention
window_attention = functions.window_attention
sparse_attention = functions.sparse_attention
attention_costs = functions.attention_costs
visible_pairs = functions.visible_pairs
apply_rotary = heads.apply_rotary
grouped_attention = heads.grouped_attention


class ProjectedAttention(ReferenceModule):
    """Contract of the assignment."""

    def __init__(self, enc_dim: int, dec_dim: int, attn_dim: int) -> None:
        super().__init__(W_s__weight=(attn_dim, dec_dim), W_h__weight=(attn_dim, enc_dim), v__weight=(1, attn_dim))

    def project(self, encoder_states: Tensor) -> Tensor:
        return functions.project(encoder_states, self.weights["W_h.weight"])

    def step(self, decoder_state: Tensor, encoder_states: Tensor, projected: Tensor) -> tuple[Tensor, Tensor]:
        context, weights = self._attend(decoder_state.unsqueeze(1), encoder_states, projected)
        return context.squeeze(1), weights.squeeze(1)

    def forward(self, decoder_states: Tensor, encoder_states: Tensor) -> tuple[Tensor, Tensor]:
        return self._attend(decoder_states, encoder_states, self.project(encoder_states))

    def _attend(self, decoder_states: Tensor, encoder_states: Tensor, projected: Tensor) -> tuple[Tensor, Tensor]:
        W_s, v = self.weights["W_s.weight"], self.weights["v.weight"]
        return functions.projected_attention(decoder_states, encoder_states, projected, W_s, v)


class GroupedQueryAttention(ReferenceModule):
    """Contract of the assignment. Raises ValueError for heads that do not fit."""

    def __init__(self, d_model: int, num_heads: int, num_groups: int) -> None:
        if d_model % num_heads or num_heads % num_groups or d_model // num_heads % 2:
            raise ValueError(f"{d_model=}, {num_heads=}, {num_groups=}")
        shared = (num_groups * (d_model // num_heads), d_model)
        square = (d_model, d_model)
        super().__init__(W_Q__weight=square, W_K__weight=shared, W_V__weight=shared, W_O__weight=square)
        self.num_heads, self.num_groups = num_heads, num_groups

    def forward(self, x: Tensor) -> Tensor:
        nothing = x.new_zeros(len(x), self.num_groups, 0, x.shape[2] // self.num_heads)
        return self.extend(x, nothing, nothing)[0]

    def extend(self, x: Tensor, keys: Tensor, values: Tensor) -> tuple[Tensor, Tensor, Tensor]:
        W_Q, W_K, W_V, W_O = (self.weights[f"W_{name}.weight"] for name in "QKVO")
        return heads.extend(x, keys, values, W_Q, W_K, W_V, W_O, self.num_heads, self.num_groups)


class TransformerBlock(ReferenceModule):
    """Contract of the assignment. Xiong and others 2020, arXiv 2002.04745, figure 1 (b): pre-norm."""

    def __init__(self, d_model: int, num_heads: int, num_groups: int, d_ff: int) -> None:
        norms = {f"norm{i}.{name}": (d_model,) for i in (1, 2) for name in ("weight", "bias")}
        layers = {"W_1.weight": (d_ff, d_model), "W_1.bias": (d_ff,), "W_2.weight": (d_model, d_ff)}
        super().__init__(**norms, **layers, **{"W_2.bias": (d_model,)})
        self.contain(attention=GroupedQueryAttention(d_model, num_heads, num_groups))

    def forward(self, x: Tensor) -> Tensor:
        x = x + self.get_submodule("attention")(self._norm(x, 1))
        hidden = F.gelu(self._linear(self._norm(x, 2), 1))
        return x + self._linear(hidden, 2)

    def _norm(self, x: Tensor, number: int) -> Tensor:
        weight, bias = self.weights[f"norm{number}.weight"], self.weights[f"norm{number}.bias"]
        return F.layer_norm(x, x.shape[-1:], weight, bias)

    def _linear(self, x: Tensor, number: int) -> Tensor:
        return F.linear(x, self.weights[f"W_{number}.weight"], self.weights[f"W_{number}.bias"])
