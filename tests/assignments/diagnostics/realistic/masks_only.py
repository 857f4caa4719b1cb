# No loops over sentences: everything with masks. Undefined places are replaced before a division, never after.
from __future__ import annotations

import torch
import torch.nn.functional as F
from torch import Tensor

PATTERNS = ("diagonal", "reordered", "many-to-one", "one-to-many", "diffuse")
FAILURES = ("none", "uniform", "over-concentrated", "drift")


def below(lengths: Tensor, width: int) -> Tensor:
    return torch.arange(width, device=lengths.device)[None] < lengths[:, None]


def safe_divide(a: Tensor, b: Tensor, otherwise: float = 0.0) -> Tensor:
    fine = b != 0
    return torch.where(fine, a / torch.where(fine, b, torch.ones_like(b)), torch.full_like(a, otherwise))


def row_mean(x: Tensor, n: Tensor) -> Tensor:
    return torch.where(below(n, x.shape[1]), x, 0).sum(1) / n.to(x.dtype)


def row_entropy(weights: Tensor) -> Tensor:
    logs = torch.log(torch.where(weights > 0, weights, 1))
    return (-weights * logs).sum(-1)


def temperature_curve(scores: Tensor, temperatures: Tensor) -> tuple[Tensor, Tensor]:
    hot = scores[None] / temperatures[:, None, None, None]
    weights = F.softmax(hot, dim=-1)
    return weights, row_entropy(weights).flatten(start_dim=1).mean(1)


def sharpness(weights: Tensor, tgt_lengths: Tensor) -> tuple[Tensor, Tensor]:
    return row_mean(row_entropy(weights), tgt_lengths), row_mean(weights.max(-1)[0], tgt_lengths)


def ln(n: Tensor, like: Tensor) -> Tensor:
    return n.to(like.dtype).log()


def coverage(weights: Tensor, src_lengths: Tensor, tgt_lengths: Tensor) -> tuple[Tensor, Tensor]:
    rows = below(tgt_lengths, weights.shape[1])[:, :, None]
    columns = below(src_lengths, weights.shape[2])[:, None]
    received = torch.where(rows & columns, weights, 0).sum(1)
    share = received / tgt_lengths[:, None].to(weights.dtype)
    return received, safe_divide(row_entropy(share), ln(src_lengths, weights), otherwise=1.0)


def distances(weights: Tensor, src_lengths: Tensor, tgt_lengths: Tensor) -> Tensor:
    t = torch.arange(weights.shape[1], device=weights.device)[None, :, None].to(weights.dtype)
    j = torch.arange(weights.shape[2], device=weights.device)[None, None, :].to(weights.dtype)
    S, T = src_lengths.to(weights.dtype)[:, None, None], tgt_lengths.to(weights.dtype)[:, None, None]
    d = t * (S - 1) / (T - 1).clamp(min=1)
    d = torch.where(T > 1, d, 0)
    return (weights * (j - d).abs()).sum(-1)


def diagonal_offset(weights: Tensor, src_lengths: Tensor, tgt_lengths: Tensor) -> tuple[Tensor, Tensor]:
    o = distances(weights, src_lengths, tgt_lengths)
    real = below(tgt_lengths, o.shape[1])
    o = torch.where(real, o, 0)
    t = torch.where(real, torch.arange(o.shape[1], device=o.device).to(o.dtype), 0)
    n = tgt_lengths.to(o.dtype)
    # the textbook: (n sum xy - sum x sum y) / (n sum x^2 - (sum x)^2)
    top = n * (t * o).sum(1) - t.sum(1) * o.sum(1)
    bottom = n * (t * t).sum(1) - t.sum(1) ** 2
    return o.sum(1) / n, safe_divide(top, bottom)


def alignment_links(weights: Tensor, src_lengths: Tensor, tgt_lengths: Tensor) -> Tensor:
    visible = torch.where(below(src_lengths, weights.shape[2])[:, None], weights, -1)
    peak = F.one_hot(visible.argmax(-1), weights.shape[2]).bool()
    return peak & below(tgt_lengths, weights.shape[1])[:, :, None]


def alignment_error_rate(links: Tensor, sure: Tensor, possible: Tensor) -> float:
    count = lambda x: x.sum().item()
    size = count(links) + count(sure)
    return 1 - (count(links & sure) + count(links & (possible | sure))) / size if size else 0.0


def features(weights: Tensor, src_lengths: Tensor, tgt_lengths: Tensor) -> tuple[Tensor, Tensor, Tensor]:
    entropy, maximum = sharpness(weights, tgt_lengths)
    links = alignment_links(weights, src_lengths, tgt_lengths)
    return safe_divide(entropy, ln(src_lengths, weights)), maximum, links


def classify_pattern(weights: Tensor, src_lengths: Tensor, tgt_lengths: Tensor) -> Tensor:
    spread, maximum, links = features(weights, src_lengths, tgt_lengths)
    different = links.any(1).sum(1)
    peak = links.int().argmax(-1)
    back = (peak[:, 1:] < peak[:, :-1]) & below(tgt_lengths, weights.shape[1])[:, 1:]
    result = torch.zeros_like(tgt_lengths)
    result[10 * back.sum(1) > tgt_lengths - 1] = 1
    result[2 * different <= torch.minimum(src_lengths, tgt_lengths)] = 2
    result[maximum < 0.5] = 3
    result[spread > 0.9] = 4
    return result


def diagnose_failure(weights: Tensor, src_lengths: Tensor, tgt_lengths: Tensor) -> Tensor:
    spread, maximum, links = features(weights, src_lengths, tgt_lengths)
    _, drift = diagonal_offset(weights, src_lengths, tgt_lengths)
    most = links.sum(1).max(-1)[0]
    long = (tgt_lengths >= 2) & (src_lengths >= 2)
    result = torch.zeros_like(tgt_lengths)
    result[drift > 0.2] = 3
    result[long & (maximum > 0.9) & (2 * most > tgt_lengths)] = 2
    result[spread > 0.9] = 1
    return result


def cosine_table(x: Tensor) -> Tensor:
    squares = (x * x).sum(-1)
    zero = squares == 0
    inverse = torch.where(zero, 0, torch.where(zero, 1, squares).rsqrt())
    return inverse[:, :, None] * (x @ x.mT) * inverse[:, None, :]


def attention_geometry(x: Tensor, temperature: float = 1.0) -> tuple[Tensor, Tensor, Tensor]:
    W = F.softmax(x @ x.mT / temperature, -1)
    before, after = cosine_table(x), cosine_table(W @ x)
    off = ~torch.eye(x.shape[1], dtype=torch.bool, device=x.device)
    W = torch.where(off, W, 0)
    return before, after, safe_divide((W * (after - before)).sum((1, 2)), W.sum((1, 2)))


def gradient_paths(queries: Tensor, states: Tensor, grad_contexts: Tensor) -> tuple[Tensor, Tensor]:
    a = F.softmax(queries @ states.mT, -1)
    g = grad_contexts
    into_scores = a * (g @ states.mT)
    into_scores = into_scores - a * into_scores.sum(-1, keepdim=True)
    return a.mT @ g, into_scores.mT @ queries


def gradient_norms(states: Tensor, recurrent_weight: Tensor, grad_states: Tensor) -> Tensor:
    totals = []
    carried = torch.zeros_like(grad_states[:, 0])
    for h, g in zip(reversed(states.unbind(1)), reversed(grad_states.unbind(1))):
        total = g + carried
        totals.append(total)
        carried = ((1 - h * h) * total) @ recurrent_weight
    stacked = torch.stack(totals[::-1], 1)
    squares = (stacked * stacked).sum(-1)
    zero = squares == 0
    return torch.where(zero, 0, torch.where(zero, 1, squares).sqrt())


def probabilities(weights: Tensor, states: Tensor, out_weight: Tensor, out_bias: Tensor) -> Tensor:
    return F.softmax(F.linear((weights[..., None] * states).sum(-2), out_weight, out_bias), -1)


def permutation_test(
    weights: Tensor, states: Tensor, out_weight: Tensor, out_bias: Tensor, permutations: Tensor
) -> tuple[Tensor, Tensor]:
    other = torch.stack([weights.index_select(1, p) for p in permutations])
    d = probabilities(weights, states, out_weight, out_bias) - probabilities(other, states, out_weight, out_bias)
    d = d.abs().sum(-1).mul(0.5)
    return d, d.median(0)[0]


def ablation_effects(weights: Tensor, states: Tensor, out_weight: Tensor, out_bias: Tensor) -> Tensor:
    T = weights.shape[1]
    kept = torch.where(torch.eye(T, dtype=torch.bool, device=weights.device)[:, None], 0, weights)  # (T, B, T)
    total = kept.sum(-1, keepdim=True).expand_as(kept)
    d = probabilities(safe_divide(kept, total), states, out_weight, out_bias)
    return 0.5 * (d - probabilities(weights, states, out_weight, out_bias)).abs().sum(-1).T


def rank_agreement(first: Tensor, second: Tensor) -> Tensor:
    T = first.shape[1]
    order = lambda x: torch.sign(x[:, :, None] - x[:, None, :]).triu(1)
    return (order(first) * order(second).to(first.dtype)).sum((1, 2)) / max(1, T * (T - 1) // 2)
