"""Measures of attention weights, links, and rules that name what the weights look like.

Rows of weights (B, T_t, T_s) are target positions t, columns are source positions j. The first T = tgt_lengths[b] rows
and S = src_lengths[b] columns are real; the rest counts nowhere.
"""

import torch
from torch import Tensor

DIAGONAL, REORDERED, MANY_TO_ONE, ONE_TO_MANY, DIFFUSE = range(5)
NONE, UNIFORM, OVER_CONCENTRATED, DRIFT = range(4)


def row_entropy(weights: Tensor) -> Tensor:
    """H = -sum_j w_j ln w_j, in nats: (..., T_s) -> (...). Shannon 1948, section 6.

    A weight of exactly 0 counts as a constant: value 0, gradient 0.
    """
    positive = weights.masked_fill(weights == 0, 1)  # 1 ln 1 = 0 too
    return -(positive * positive.log()).sum(-1)


def temperature_curve(scores: Tensor, temperatures: Tensor) -> tuple[Tensor, Tensor]:
    """softmax(scores / temperature) and its mean entropy: (B, T_t, T_s), (K,) -> (K, B, T_t, T_s), (K,).

    Hinton, Vinyals and Dean, "Distilling the knowledge in a neural network", 2015, arXiv 1503.02531, equation (1).
    """
    weights = torch.softmax(scores / temperatures.view(-1, 1, 1, 1), -1)  # (K, B, T_t, T_s)
    return weights, row_entropy(weights).mean((1, 2))  # (K,)


def real(lengths: Tensor, width: int) -> Tensor:
    """Position i is real when i < lengths[b]: (B,) -> (B, width)."""
    return torch.arange(width, device=lengths.device) < lengths.unsqueeze(1)


def real_cells(weights: Tensor, src_lengths: Tensor, tgt_lengths: Tensor) -> Tensor:
    """The weights, and 0 outside the first T rows and S columns: (B, T_t, T_s)."""
    rows, columns = real(tgt_lengths, weights.shape[1]), real(src_lengths, weights.shape[2])
    return weights.masked_fill(~(rows.unsqueeze(2) & columns.unsqueeze(1)), 0)


def row_mean(values: Tensor, tgt_lengths: Tensor) -> Tensor:
    """The mean of each sentence's first T values: (B, T_t), (B,) -> (B,)."""
    return values.masked_fill(~real(tgt_lengths, values.shape[1]), 0).sum(1) / tgt_lengths


def sharpness(weights: Tensor, tgt_lengths: Tensor) -> tuple[Tensor, Tensor]:
    """Means of entropy and of the largest weight over real rows: (B, T_t, T_s), (B,) -> (B,), (B,).

    The entropy of attention is that of Ghader and Monz, "What does attention in neural machine translation pay
    attention to?", IJCNLP 2017, arXiv 1710.03348, equation (8).
    """
    rows = weights.masked_fill(~real(tgt_lengths, weights.shape[1]).unsqueeze(2), 0)
    return row_mean(row_entropy(rows), tgt_lengths), row_mean(rows.amax(2), tgt_lengths)


def coverage(weights: Tensor, src_lengths: Tensor, tgt_lengths: Tensor) -> tuple[Tensor, Tensor]:
    """Weight that each column received, and how evenly: (B, T_t, T_s), (B,), (B,) -> (B, T_s), (B,).

    The sum over target positions is the coverage vector of See, Liu and Manning, "Get to the point", ACL 2017, arXiv
    1704.04368, equation (10). Uniformity is Pielou's evenness, H / ln S; 1 for a single column.
    """
    received = real_cells(weights, src_lengths, tgt_lengths).sum(1)  # (B, T_s)
    entropy = row_entropy(received / tgt_lengths.unsqueeze(1))  # (B,)
    return received, torch.where(src_lengths > 1, entropy / log_length(src_lengths, weights.dtype), 1.0)


def log_length(lengths: Tensor, dtype: torch.dtype) -> Tensor:
    """ln of each length, and 1 where that is 0, to divide by: (B,) -> (B,)."""
    return lengths.clamp(min=2).to(dtype).log()


def diagonal_offset(weights: Tensor, src_lengths: Tensor, tgt_lengths: Tensor) -> tuple[Tensor, Tensor]:
    """Mean distance from the diagonal, and its slope over the rows: (B, T_t, T_s), (B,), (B,) -> (B,), (B,).

    The diagonal of row t is t (S - 1) / (T - 1). The slope is that of ordinary least squares; 0 for a single row.
    """
    row, column = (torch.arange(size, dtype=weights.dtype, device=weights.device) for size in weights.shape[1:])
    steps = (tgt_lengths - 1).clamp(min=1).to(weights.dtype)  # T - 1; a single row has the diagonal 0
    diagonal = row * ((src_lengths - 1) / steps).unsqueeze(1)  # (B, T_t)
    distance = (column - diagonal.unsqueeze(2)).abs()  # (B, T_t, T_s)
    offsets = (real_cells(weights, src_lengths, tgt_lengths) * distance).sum(2)  # (B, T_t)
    offset = row_mean(offsets, tgt_lengths)  # (B,)
    middle = (tgt_lengths - 1).to(weights.dtype).unsqueeze(1) / 2
    centered = (row - middle).masked_fill(~real(tgt_lengths, weights.shape[1]), 0)  # (B, T_t)
    slope = (centered * offsets).sum(1) / centered.square().sum(1).masked_fill(tgt_lengths == 1, 1)
    return offset, slope


def peaks(weights: Tensor, src_lengths: Tensor) -> Tensor:
    """The first column of the largest weight among the first S: (B, T_t, T_s), (B,) -> (B, T_t)."""
    outside = ~real(src_lengths, weights.shape[2]).unsqueeze(1)
    return weights.masked_fill(outside, -1).argmax(2)


def alignment_links(weights: Tensor, src_lengths: Tensor, tgt_lengths: Tensor) -> Tensor:
    """True at the peak of each real row: (B, T_t, T_s), (B,), (B,) -> (B, T_t, T_s) bool.

    Ghader and Monz 2017, section 4.1, take the word with the largest weight as the aligned one.
    """
    column = torch.arange(weights.shape[2], device=weights.device)
    links = peaks(weights, src_lengths).unsqueeze(2) == column  # (B, T_t, T_s)
    return links & real(tgt_lengths, weights.shape[1]).unsqueeze(2)


def alignment_error_rate(links: Tensor, sure: Tensor, possible: Tensor) -> float:
    """1 - (|A & S| + |A & P|) / (|A| + |S|) of the whole batch: (B, T_t, T_s) bool, three times -> float.

    Och and Ney, "A systematic comparison of various statistical alignment models", Computational Linguistics 29(1),
    2003, section 5.1. There S is a subset of P, so a sure link counts as possible.
    """
    size = int(links.sum()) + int(sure.sum())
    found = int((links & sure).sum()) + int((links & (possible | sure)).sum())
    return 1 - found / size if size else 0.0


def spread(weights: Tensor, src_lengths: Tensor, tgt_lengths: Tensor) -> Tensor:
    """Mean entropy divided by ln S: (B, T_t, T_s), (B,), (B,) -> (B,); 0 for a single column."""
    entropy = sharpness(weights, tgt_lengths)[0]
    return torch.where(src_lengths > 1, entropy / log_length(src_lengths, weights.dtype), 0.0)


def first_that_holds(rules: list[tuple[Tensor, int]], otherwise: int) -> Tensor:
    """The number of the first rule that holds for each sentence: (B,) bool each -> (B,) int64."""
    found = torch.full_like(rules[0][0], otherwise, dtype=torch.int64)
    for holds, number in rules[::-1]:
        found = found.masked_fill(holds, number)
    return found


def classify_pattern(weights: Tensor, src_lengths: Tensor, tgt_lengths: Tensor) -> Tensor:
    """The pattern of each sentence by the rules of the contract: (B, T_t, T_s), (B,), (B,) -> (B,) int64."""
    _, largest = sharpness(weights, tgt_lengths)
    links = alignment_links(weights, src_lengths, tgt_lengths)
    kinds = links.any(1).sum(1)  # different peaks
    steps = peaks(weights, src_lengths).diff(dim=1)  # (B, T_t - 1)
    backwards = ((steps < 0) & real(tgt_lengths - 1, steps.shape[1])).sum(1)
    rules = [
        (spread(weights, src_lengths, tgt_lengths) > 0.9, DIFFUSE),
        (largest < 0.5, ONE_TO_MANY),
        (2 * kinds <= torch.minimum(src_lengths, tgt_lengths), MANY_TO_ONE),
        (10 * backwards > tgt_lengths - 1, REORDERED),
    ]
    return first_that_holds(rules, DIAGONAL)


def diagnose_failure(weights: Tensor, src_lengths: Tensor, tgt_lengths: Tensor) -> Tensor:
    """The failure of each sentence by the rules of the contract: (B, T_t, T_s), (B,), (B,) -> (B,) int64."""
    _, largest = sharpness(weights, tgt_lengths)
    _, drift = diagonal_offset(weights, src_lengths, tgt_lengths)
    most = alignment_links(weights, src_lengths, tgt_lengths).sum(1).amax(1)  # rows that share a peak
    alike = (2 * most > tgt_lengths) & (tgt_lengths > 1) & (src_lengths > 1)
    rules = [
        (spread(weights, src_lengths, tgt_lengths) > 0.9, UNIFORM),
        (alike & (largest > 0.9), OVER_CONCENTRATED),
        (drift > 0.2, DRIFT),
    ]
    return first_that_holds(rules, NONE)
