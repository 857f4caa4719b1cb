"""Homework 4 - masks. Convention of the course: True = may be attended to."""

from __future__ import annotations

import torch
from torch import Tensor


def padding_mask(lengths: Tensor, max_len: int | None = None) -> Tensor:
    width = int(lengths.max().item()) if max_len is None else max_len
    columns = torch.arange(width, device=lengths.device)
    return columns.expand(lengths.shape[0], width).lt(lengths[:, None])


def _rows_and_columns(length: int) -> tuple[Tensor, Tensor]:
    return tuple(torch.meshgrid(torch.arange(length), torch.arange(length), indexing="ij"))


def causal_mask(length: int) -> Tensor:
    i, j = _rows_and_columns(length)
    return j <= i


def window_mask(length: int, radius: int) -> Tensor:
    i, j = _rows_and_columns(length)
    return torch.abs(i - j) <= radius


def strided_mask(length: int, stride: int) -> Tensor:
    i, j = _rows_and_columns(length)
    return torch.logical_or(j.remainder(stride).eq(0), i.eq(j))


def combine_masks(key_padding: Tensor, attention: Tensor) -> Tensor:
    return torch.logical_and(key_padding[:, None, :], attention[None, :, :])


def masked_softmax(scores: Tensor, mask: Tensor, dim: int = -1) -> Tensor:
    neg_inf = torch.tensor(float("-inf"), dtype=scores.dtype, device=scores.device)
    masked = torch.where(mask, scores, neg_inf)
    peak = masked.amax(dim=dim, keepdim=True)
    peak = torch.where(torch.isinf(peak), torch.zeros_like(peak), peak).detach()
    exps = torch.exp(masked - peak)  # exp(-inf) is 0, and so is its gradient
    total = exps.sum(dim=dim, keepdim=True)
    return exps / torch.where(total > 0, total, torch.ones_like(total))


def masked_attention(query: Tensor, key: Tensor, value: Tensor, mask: Tensor) -> tuple[Tensor, Tensor]:
    scores = torch.einsum("...qd,...kd->...qk", query, key) / query.shape[-1] ** 0.5
    weights = masked_softmax(scores, mask)
    return torch.einsum("...qk,...kv->...qv", weights, value), weights


def masked_cross_entropy(logits: Tensor, targets: Tensor, lengths: Tensor) -> Tensor:
    log_probs = torch.log_softmax(logits, dim=-1)
    picked = log_probs.gather(-1, targets[..., None])[..., 0]
    real = padding_mask(lengths, targets.shape[1])
    return -picked[real].mean()
