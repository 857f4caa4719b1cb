"""The reference: written to be right and easy to check, not to be fast. Students never get it.

Su et al., "RoFormer: Enhanced transformer with rotary position embedding" (2021), equations 14 and 15.
"""

import torch
from torch import Tensor, nn


def rotate(x: Tensor, positions: Tensor, base: float = 10000.0) -> Tensor:
    """(B, T, d), (T,) -> (B, T, d): each pair of columns is a complex number, multiplied by e^(i * angle)."""
    width = x.shape[-1]
    if width % 2:
        raise ValueError("odd width")
    pairs = []
    for pair in range(width // 2):
        angle = positions.to(x.dtype) * base ** (-2 * pair / width)
        number = torch.complex(x[..., 2 * pair], x[..., 2 * pair + 1]) * torch.exp(1j * angle)
        pairs += [number.real, number.imag]
    return torch.stack(pairs, -1)


def attend(query: Tensor, key: Tensor, value: Tensor) -> Tensor:
    """(B, T_q, d), (B, T_k, d), (B, T_k, d_v) -> (B, T_q, d_v): one query after the other, with the keys it sees."""
    hidden = key.shape[1] - query.shape[1]
    if hidden < 0:
        raise ValueError("more queries than keys")
    rows = []
    for row in range(query.shape[1]):
        seen = hidden + row + 1
        scores = (query[:, row, None] * key[:, :seen]).sum(-1) / query.shape[-1] ** 0.5
        rows.append((scores.softmax(-1)[..., None] * value[:, :seen]).sum(1))
    return torch.stack(rows, 1)


class CachedAttention(nn.Module):
    """Causal attention with rotary positions."""

    def __init__(self, width: int, head_width: int) -> None:
        super().__init__()
        self.W_Q = nn.Linear(width, head_width, bias=False)
        self.W_K = nn.Linear(width, head_width, bias=False)
        self.W_V = nn.Linear(width, head_width, bias=False)

    def forward(self, x: Tensor) -> Tensor:
        """(B, T, d) -> (B, T, d_k)."""
        positions = torch.arange(x.shape[1], device=x.device)
        return attend(rotate(self.W_Q(x), positions), rotate(self.W_K(x), positions), self.W_V(x))

    def extend(self, x: Tensor, keys: Tensor, values: Tensor) -> tuple[Tensor, Tensor, Tensor]:
        """(B, T_n, d), (B, T_p, d_k), (B, T_p, d_k) -> (B, T_n, d_k), (B, T, d_k), (B, T, d_k)."""
        positions = torch.arange(x.shape[1], device=x.device) + keys.shape[1]
        keys = torch.cat([keys, rotate(self.W_K(x), positions)], 1)
        values = torch.cat([values, self.W_V(x)], 1)
        return attend(rotate(self.W_Q(x), positions), keys, values), keys, values
