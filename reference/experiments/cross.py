"""Cross-attention with heads that can be switched off."""

from __future__ import annotations

import torch
from torch import Tensor

from reference.stand_in import ReferenceModule

Weights = dict[str, Tensor]


def cross_attention(
    weights: Weights, query: Tensor, memory: Tensor, mask: Tensor | None, head_mask: Tensor | None, num_heads: int
) -> tuple[Tensor, Tensor]:
    """Vaswani et al. 2017, section 3.2.2: head i = softmax(Q_i K_i^T / sqrt(d_h)) V_i, then W_O of all heads in a row.

    The mask of heads is that of Michel, Levy and Neubig 2019, equation 3. (B, T_q, d), (B, T_k, d), (B, T_k) bool,
    (heads,) -> output (B, T_q, d), weights (B, heads, T_q, T_k).
    """
    width = query.shape[-1] // num_heads
    results, all_weights = [], []
    for i in range(num_heads):
        rows = slice(i * width, (i + 1) * width)
        q, k, v = (
            x @ weights[name][rows].T
            for name, x in (("W_Q.weight", query), ("W_K.weight", memory), ("W_V.weight", memory))
        )
        alpha = _softmax(q @ k.mT / width**0.5, mask)
        result = alpha @ v
        results.append(result if head_mask is None else result * head_mask[i])
        all_weights.append(alpha)
    return torch.cat(results, -1) @ weights["W_O.weight"].T, torch.stack(all_weights, 1)


def _softmax(scores: Tensor, mask: Tensor | None) -> Tensor:
    """(B, T_q, T_k), (B, T_k) bool -> weights that are 0 where the mask is False, and everywhere in a dark row."""
    if mask is None:
        return scores.softmax(-1)
    seen = mask.unsqueeze(1).expand_as(scores)
    highest = torch.where(seen, scores, -torch.inf).amax(-1, keepdim=True).nan_to_num(neginf=0.0)
    raised = torch.where(seen, scores - highest, 0.0).exp() * seen
    return raised / raised.sum(-1, keepdim=True).clamp(min=torch.finfo(scores.dtype).tiny)


class CrossAttention(ReferenceModule):
    """Contract of the assignment."""

    def __init__(self, d_model: int, num_heads: int) -> None:
        if d_model % num_heads:
            raise ValueError("num_heads must divide d_model")
        super().__init__(**{f"{name}__weight": (d_model, d_model) for name in ("W_Q", "W_K", "W_V", "W_O")})
        self.num_heads = num_heads

    def forward(
        self, query: Tensor, memory: Tensor, mask: Tensor | None = None, head_mask: Tensor | None = None
    ) -> tuple[Tensor, Tensor]:
        return cross_attention(self.weights, query, memory, mask, head_mask, self.num_heads)
