"""Attention that remembers or is guided: coverage, copying, supervision, borders and priors. Batch first."""

from __future__ import annotations

import torch
from torch import Tensor


def real_rows(tgt_lengths: Tensor, width: int) -> Tensor:
    """Which rows are below the target length: (B,) int64, int -> (B, width) bool."""
    return torch.arange(width, device=tgt_lengths.device).unsqueeze(0) < tgt_lengths.unsqueeze(1)


def mean_of_real_rows(rows: Tensor, tgt_lengths: Tensor) -> Tensor:
    """The mean over the real rows of the whole batch: (B, T_t), (B,) -> scalar."""
    real = real_rows(tgt_lengths, rows.shape[1])
    return torch.where(real, rows, 0.0).sum() / real.sum()


def coverage_attention(scores: Tensor, penalty: float) -> tuple[Tensor, Tensor]:
    """Weights of scores_t - penalty * seen_t, and seen_t, the sum of earlier weights: (B, T_t, T_s) -> twice that.

    Coverage is that of Tu and others 2016, "Modeling coverage for neural machine translation", arXiv 1601.04811,
    section 3.1, linguistic coverage without fertility; here it enters the score as a penalty.
    """
    weights: list[Tensor] = []
    seen = [torch.zeros_like(scores[:, 0])]  # (B, T_s), one more than there are rows
    for row in scores.unbind(1):
        weights.append(torch.softmax(row - penalty * seen[-1], -1))
        seen.append(seen[-1] + weights[-1])
    return torch.stack(weights, 1), torch.stack(seen[:-1], 1)


def coverage_loss(weights: Tensor, seen: Tensor, tgt_lengths: Tensor) -> Tensor:
    """sum_j min(weights_tj, seen_tj), averaged over real rows: (B, T_t, T_s) twice, (B,) -> scalar.

    See, Liu and Manning 2017, arXiv 1704.04368, equation (12).
    """
    return mean_of_real_rows(torch.minimum(weights, seen).sum(-1), tgt_lengths)


def generation_probability(terms: list[tuple[Tensor, Tensor]], bias: Tensor) -> Tensor:
    """sigmoid of the sum of w x over pairs (x (B, d), w (1, d)), and of a bias (1,) -> (B,).

    See, Liu and Manning 2017, arXiv 1704.04368, equation (8).
    """
    total = torch.stack([x @ w[0] for x, w in terms]).sum(0)
    return torch.sigmoid(total + bias)


def copy_distribution(p_gen: Tensor, vocab_probs: Tensor, weights: Tensor, src_ids: Tensor, size: int) -> Tensor:
    """p P_vocab(w) + (1 - p) sum of the weights of w's positions: (B,), (B, V), (B, T_s), (B, T_s) int64 -> (B, size).

    See, Liu and Manning 2017, arXiv 1704.04368, equation (9).
    """
    holds = src_ids.unsqueeze(2) == torch.arange(size, device=src_ids.device)  # (B, T_s, size)
    copied = torch.bmm(weights.unsqueeze(1), holds.to(weights.dtype)).squeeze(1)
    beyond = vocab_probs.new_zeros(len(vocab_probs), size - vocab_probs.shape[1])
    p = p_gen.unsqueeze(1)
    return p * torch.cat([vocab_probs, beyond], 1) + (1 - p) * copied


def supervised_loss(task_loss: Tensor, weights: Tensor, gold: Tensor, tgt_lengths: Tensor, factor: float) -> Tensor:
    """task_loss + factor * the mean of squared distances of real rows: scalar, (B, T_t, T_s) twice, (B,) -> scalar.

    Liu and others 2016, "Neural machine translation with supervised attention", arXiv 1609.04186: squared distances.
    """
    return task_loss + factor * mean_of_real_rows((weights - gold).square().sum(-1), tgt_lengths)


def monotonic_attention(scores: Tensor) -> Tensor:
    """Softmax of each row over the peak of the row before and what follows it: (B, T_t, T_s) -> (B, T_t, T_s).

    The first of several largest weights is the peak. Chan and others 2016, arXiv 1508.01211, section 3, speaks of
    alignments that only go forward; the hard border is that of the assignment.
    """
    place = torch.arange(scores.shape[2], device=scores.device).expand(len(scores), -1)
    seen = torch.ones_like(place, dtype=torch.bool)
    rows = []
    for row in scores.unbind(1):
        rows.append(torch.softmax(row.masked_fill(~seen, -torch.inf), -1))
        largest = rows[-1] == rows[-1].amax(-1, keepdim=True)
        peak = torch.where(largest, place, scores.shape[2]).amin(-1, keepdim=True)  # the first of them
        seen = place >= peak
    return torch.stack(rows, 1)


def diagonal_prior_attention(scores: Tensor, src_lengths: Tensor, tgt_lengths: Tensor, sigma: float) -> Tensor:
    """Softmax of scores_tj + exp(-(j - t S / T)^2 / (2 sigma^2)) over the real columns of real rows.

    (B, T_t, T_s), (B,), (B,) -> (B, T_t, T_s). The Gaussian is that of Luong, Pham and Manning 2015, arXiv 1508.04025,
    equation (10), around the stretched diagonal.
    """
    slope = src_lengths.to(scores.dtype) / tgt_lengths.to(scores.dtype)  # (B,)
    rows = torch.arange(scores.shape[1], device=scores.device, dtype=scores.dtype)
    columns = torch.arange(scores.shape[2], device=scores.device, dtype=scores.dtype)
    centers = rows * slope.unsqueeze(1)  # (B, T_t)
    distance = columns - centers.unsqueeze(2)  # (B, T_t, T_s)
    prior = torch.exp(-0.5 * (distance / sigma).square())
    real = real_rows(src_lengths, scores.shape[2]).unsqueeze(1)  # (B, 1, T_s)
    weights = torch.softmax((scores + prior).masked_fill(~real, -torch.inf), -1)
    return weights.masked_fill(~real_rows(tgt_lengths, scores.shape[1]).unsqueeze(2), 0.0)
