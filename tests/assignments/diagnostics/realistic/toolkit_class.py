"""Attention diagnostics: a small toolkit, one object per batch of weights."""

from __future__ import annotations

import math
from dataclasses import dataclass

import torch
from torch import Tensor
from torch.nn import functional as F

PATTERNS = ("diagonal", "reordered", "many-to-one", "one-to-many", "diffuse")
FAILURES = ("none", "uniform", "over-concentrated", "drift")
SPREAD_LIMIT, SHARP_LIMIT, BROAD_LIMIT, DRIFT_LIMIT = 0.9, 0.9, 0.5, 0.2


def row_entropy(weights: Tensor) -> Tensor:
    """Shannon entropy in nats; log is never taken of zero."""
    positive = weights > 0
    safe = torch.where(positive, weights, torch.ones((), dtype=weights.dtype, device=weights.device))
    return -(weights * safe.log()).sum(dim=-1)


def temperature_curve(scores: Tensor, temperatures: Tensor) -> tuple[Tensor, Tensor]:
    logits = scores.unsqueeze(0) / temperatures.reshape(-1, 1, 1, 1)
    weights = F.softmax(logits, dim=-1)
    return weights, row_entropy(weights).mean(dim=[1, 2])


@dataclass
class AttentionBatch:
    """Weights with their lengths; everything else is a property."""

    weights: Tensor
    src: Tensor
    tgt: Tensor

    @property
    def rows(self) -> Tensor:
        index = torch.arange(self.weights.size(1), device=self.weights.device)
        return index.unsqueeze(0) < self.tgt.unsqueeze(1)

    def row_mean(self, values: Tensor) -> Tensor:
        kept = torch.where(self.rows, values, torch.zeros_like(values))
        return kept.sum(dim=1) / self.tgt

    @property
    def peaks(self) -> Tensor:
        return self.weights.argmax(dim=-1)

    def spread(self) -> Tensor:
        entropy = self.row_mean(row_entropy(self.weights))
        maximum = torch.tensor([math.log(max(int(s), 2)) for s in self.src], dtype=entropy.dtype, device=entropy.device)
        return torch.where(self.src > 1, entropy / maximum, torch.zeros_like(entropy))

    def sharp(self) -> Tensor:
        return self.row_mean(self.weights.amax(dim=-1))


def sharpness(weights: Tensor, tgt_lengths: Tensor) -> tuple[Tensor, Tensor]:
    batch = AttentionBatch(weights, tgt_lengths, tgt_lengths)
    return batch.row_mean(row_entropy(weights)), batch.sharp()


def coverage(weights: Tensor, src_lengths: Tensor, tgt_lengths: Tensor) -> tuple[Tensor, Tensor]:
    batch = AttentionBatch(weights, src_lengths, tgt_lengths)
    received = torch.where(batch.rows.unsqueeze(-1), weights, torch.zeros_like(weights)).sum(dim=1)
    distribution = received / tgt_lengths.unsqueeze(-1)
    entropy = row_entropy(distribution)
    log_length = torch.log(torch.clamp(src_lengths, min=2).to(weights.dtype))
    return received, torch.where(src_lengths > 1, entropy / log_length, torch.ones_like(entropy))


def diagonal_offset(weights: Tensor, src_lengths: Tensor, tgt_lengths: Tensor) -> tuple[Tensor, Tensor]:
    dtype, device = weights.dtype, weights.device
    batch = AttentionBatch(weights, src_lengths, tgt_lengths)
    t = torch.arange(weights.size(1), dtype=dtype, device=device)
    j = torch.arange(weights.size(2), dtype=dtype, device=device)
    slope = (src_lengths - 1).to(dtype) / torch.clamp(tgt_lengths - 1, min=1).to(dtype)
    diagonal = slope.unsqueeze(1) * t
    offsets = (weights * torch.abs(j - diagonal.unsqueeze(-1))).sum(dim=-1)
    mean_offset = batch.row_mean(offsets)
    mean_t = batch.row_mean(t.expand_as(offsets))
    covariance = batch.row_mean((t - mean_t.unsqueeze(1)) * (offsets - mean_offset.unsqueeze(1)))
    variance = batch.row_mean((t - mean_t.unsqueeze(1)) ** 2)
    drift = covariance / torch.where(variance > 0, variance, torch.ones_like(variance))
    return mean_offset, drift


def alignment_links(weights: Tensor, src_lengths: Tensor, tgt_lengths: Tensor) -> Tensor:
    batch = AttentionBatch(weights, src_lengths, tgt_lengths)
    columns = torch.arange(weights.size(2), device=weights.device)
    return (batch.peaks.unsqueeze(-1) == columns) & batch.rows.unsqueeze(-1)


def alignment_error_rate(links: Tensor, sure: Tensor, possible: Tensor) -> float:
    possible = possible | sure
    denominator = int(links.sum()) + int(sure.sum())
    if denominator == 0:
        return 0.0
    return 1.0 - (int((links & sure).sum()) + int((links & possible).sum())) / denominator


def classify_pattern(weights: Tensor, src_lengths: Tensor, tgt_lengths: Tensor) -> Tensor:
    batch = AttentionBatch(weights, src_lengths, tgt_lengths)
    spread, sharp, labels = batch.spread().tolist(), batch.sharp().tolist(), []
    for b, (S, T) in enumerate(zip(src_lengths.tolist(), tgt_lengths.tolist())):
        peaks = batch.peaks[b, :T].tolist()
        backwards = sum(1 for i in range(1, T) if peaks[i] < peaks[i - 1])
        if spread[b] > SPREAD_LIMIT:
            labels.append("diffuse")
        elif sharp[b] < BROAD_LIMIT:
            labels.append("one-to-many")
        elif len(set(peaks)) * 2 <= min(S, T):
            labels.append("many-to-one")
        elif backwards * 10 > T - 1:
            labels.append("reordered")
        else:
            labels.append("diagonal")
    return torch.tensor([PATTERNS.index(label) for label in labels], device=weights.device)


def diagnose_failure(weights: Tensor, src_lengths: Tensor, tgt_lengths: Tensor) -> Tensor:
    batch = AttentionBatch(weights, src_lengths, tgt_lengths)
    spread, sharp = batch.spread().tolist(), batch.sharp().tolist()
    drift = diagonal_offset(weights, src_lengths, tgt_lengths)[1].tolist()
    labels = []
    for b, (S, T) in enumerate(zip(src_lengths.tolist(), tgt_lengths.tolist())):
        counts = torch.bincount(batch.peaks[b, :T])
        stuck = min(S, T) >= 2 and sharp[b] > SHARP_LIMIT and int(counts.max()) * 2 > T
        if spread[b] > SPREAD_LIMIT:
            labels.append("uniform")
        elif stuck:
            labels.append("over-concentrated")
        elif drift[b] > DRIFT_LIMIT:
            labels.append("drift")
        else:
            labels.append("none")
    return torch.tensor([FAILURES.index(label) for label in labels], device=weights.device)


def cosine_matrix(rows: Tensor) -> Tensor:
    return F.cosine_similarity(rows.unsqueeze(2), rows.unsqueeze(1), dim=-1)


def attention_geometry(x: Tensor, temperature: float = 1.0) -> tuple[Tensor, Tensor, Tensor]:
    weights = F.softmax(torch.bmm(x, x.transpose(1, 2)) / temperature, dim=-1)
    before, after = cosine_matrix(x), cosine_matrix(torch.bmm(weights, x))
    off_diagonal = ~torch.eye(x.size(1), dtype=torch.bool, device=x.device)
    pairs = torch.where(off_diagonal, weights, torch.zeros_like(weights))
    total = pairs.sum(dim=(1, 2))
    weighted = (pairs * (after - before)).sum(dim=(1, 2))
    return before, after, weighted / torch.where(total > 0, total, torch.ones_like(total))


def gradient_paths(queries: Tensor, states: Tensor, grad_contexts: Tensor) -> tuple[Tensor, Tensor]:
    weights = F.softmax(torch.bmm(queries, states.transpose(1, 2)), dim=-1)
    direct = torch.bmm(weights.transpose(1, 2), grad_contexts)
    alignment = torch.bmm(grad_contexts, states.transpose(1, 2))
    baseline = (grad_contexts * torch.bmm(weights, states)).sum(dim=-1, keepdim=True)
    indirect = torch.bmm((weights * (alignment - baseline)).transpose(1, 2), queries)
    return direct, indirect


def gradient_norms(states: Tensor, recurrent_weight: Tensor, grad_states: Tensor) -> Tensor:
    steps = states.size(1)
    total = grad_states[:, steps - 1]
    norms = [torch.linalg.vector_norm(total, dim=-1)]
    for t in range(steps - 2, -1, -1):
        through_tanh = (1 - states[:, t + 1] ** 2) * total
        total = grad_states[:, t] + through_tanh @ recurrent_weight
        norms.insert(0, torch.linalg.vector_norm(total, dim=-1))
    return torch.stack(norms, dim=1)


def predict(weights: Tensor, states: Tensor, out_weight: Tensor, out_bias: Tensor) -> Tensor:
    context = torch.matmul(weights.unsqueeze(-2), states).squeeze(-2)
    return F.softmax(F.linear(context, out_weight, out_bias), dim=-1)


def total_variation(p: Tensor, q: Tensor) -> Tensor:
    return 0.5 * (p - q).abs().sum(dim=-1)


def permutation_test(
    weights: Tensor, states: Tensor, out_weight: Tensor, out_bias: Tensor, permutations: Tensor
) -> tuple[Tensor, Tensor]:
    original = predict(weights, states, out_weight, out_bias)
    distances = torch.stack(
        [
            total_variation(original, predict(weights[:, order], states, out_weight, out_bias))
            for order in permutations
        ]
    )
    return distances, torch.median(distances, dim=0).values


def ablation_effects(weights: Tensor, states: Tensor, out_weight: Tensor, out_bias: Tensor) -> Tensor:
    original = predict(weights, states, out_weight, out_bias)
    effects = []
    for j in range(weights.size(1)):
        keep = torch.arange(weights.size(1), device=weights.device) != j
        remaining = weights * keep
        mass = remaining.sum(dim=-1, keepdim=True)
        remaining = torch.where(mass > 0, remaining / torch.where(mass > 0, mass, torch.ones_like(mass)), remaining)
        effects.append(total_variation(original, predict(remaining, states, out_weight, out_bias)))
    return torch.stack(effects, dim=1)


def rank_agreement(first: Tensor, second: Tensor) -> Tensor:
    n = first.size(1)
    if n == 1:
        return torch.zeros(first.size(0), dtype=first.dtype, device=first.device)
    i, j = torch.triu_indices(n, n, offset=1, device=first.device)
    agreement = torch.sign(first[:, i] - first[:, j]) * torch.sign(second[:, i] - second[:, j])
    return agreement.mean(dim=1).to(first.dtype)


if __name__ == "__main__":
    demo = torch.softmax(torch.randn(2, 5, 6), -1)
    lengths = torch.tensor([6, 6]), torch.tensor([5, 5])
    print([PATTERNS[i] for i in classify_pattern(demo, *lengths)])
