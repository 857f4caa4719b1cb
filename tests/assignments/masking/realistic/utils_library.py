"""Masks, masked softmax, masked attention and masked loss (assignment 4).

Convention of the course: True = "may be attended to". See README.
"""

import math
from typing import Callable, Optional, Tuple

import torch
import torch.nn.functional as F
from torch import Tensor

Mask = Tensor  # bool
Rule = Callable[[Tensor, Tensor], Tensor]

_EPS = 1e-12


# ------------------------------------------------------------------ helpers


def _check_bool(mask: Tensor, name: str = "mask") -> None:
    if mask.dtype != torch.bool:
        raise TypeError(f"{name} must be boolean, got {mask.dtype}")


def _grid_mask(length: int, rule: Rule) -> Mask:
    """(length, length) mask from a rule on (row, column) numbers."""
    rows = torch.arange(length).unsqueeze(1)
    columns = torch.arange(length).unsqueeze(0)
    return rule(rows, columns).expand(length, length)


def _most_negative(dtype: torch.dtype) -> float:
    return torch.finfo(dtype).min


# ------------------------------------------------------------------ masks


def padding_mask(lengths: Tensor, max_len: Optional[int] = None) -> Mask:
    """True at the first ``lengths[b]`` positions of row ``b``."""
    width = int(lengths.max().item()) if max_len is None else max_len
    positions = torch.arange(width, device=lengths.device, dtype=lengths.dtype)
    return positions.unsqueeze(0).lt(lengths.unsqueeze(1))


def causal_mask(length: int) -> Mask:
    """No look into the future."""
    return _grid_mask(length, lambda i, j: j <= i)


def window_mask(length: int, radius: int) -> Mask:
    """A band of ``radius`` positions on either side."""
    return _grid_mask(length, lambda i, j: (i - j).abs() <= radius)


def strided_mask(length: int, stride: int) -> Mask:
    """Every ``stride``-th position, and the position itself."""
    return _grid_mask(length, lambda i, j: (j % stride == 0) | (i == j))


def combine_masks(key_padding: Mask, attention: Mask) -> Mask:
    """(B, T_k) and (T_q, T_k) -> (B, T_q, T_k)."""
    _check_bool(key_padding, "key_padding")
    _check_bool(attention, "attention")
    return torch.logical_and(key_padding.unsqueeze(-2), attention.unsqueeze(0))


# ------------------------------------------------------------------ attention


def masked_softmax(scores: Tensor, mask: Mask, dim: int = -1) -> Tensor:
    """Softmax over the visible entries.

    The fill value is finite, so no inf - inf can occur. A fully masked row is uniform after the
    softmax of the fill values; the multiplication by the mask makes it 0. The gradient of the
    filled entries is cut by ``masked_fill``.
    """
    _check_bool(mask)
    filled = scores.masked_fill(~mask, _most_negative(scores.dtype))
    weights = F.softmax(filled, dim=dim)
    return weights * mask.to(scores.dtype)


def masked_attention(query: Tensor, key: Tensor, value: Tensor, mask: Mask) -> Tuple[Tensor, Tensor]:
    """Scaled dot-product attention under a mask."""
    scale = 1.0 / math.sqrt(query.size(-1))
    scores = torch.matmul(query * scale, key.transpose(-1, -2))
    weights = masked_softmax(scores, mask)
    return torch.matmul(weights, value), weights


# ------------------------------------------------------------------ loss


def masked_cross_entropy(logits: Tensor, targets: Tensor, lengths: Tensor) -> Tensor:
    """Mean negative log-likelihood of the real tokens."""
    n_batch, n_steps, n_classes = logits.shape
    real = padding_mask(lengths, n_steps)
    log_probs = F.log_softmax(logits, dim=-1)
    picked = log_probs.gather(-1, targets.unsqueeze(-1)).squeeze(-1)
    nll = -torch.where(real, picked, torch.zeros_like(picked))
    return nll.sum() / (real.sum() + _EPS)


def _self_test() -> None:
    mask = combine_masks(padding_mask(torch.tensor([2, 4])), causal_mask(4))
    weights = masked_softmax(torch.zeros(2, 4, 4), mask)
    assert torch.equal(weights > 0, mask)
    scores = torch.randn(2, 3, requires_grad=True)
    masked_softmax(scores, torch.zeros(2, 3, dtype=torch.bool)).sum().backward()
    assert torch.equal(scores.grad, torch.zeros(2, 3))
    print("all good")


if __name__ == "__main__":
    _self_test()
