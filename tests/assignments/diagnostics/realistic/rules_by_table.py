"""Assignment 7. Rules as tables, everything else short."""
import math

import torch
import torch.nn.functional as F

PATTERNS = ("diagonal", "reordered", "many-to-one", "one-to-many", "diffuse")
FAILURES = ("none", "uniform", "over-concentrated", "drift")


def row_entropy(weights):
    return -(weights * torch.where(weights > 0, weights, torch.ones_like(weights)).log()).sum(dim=-1)


def temperature_curve(scores, temperatures):
    w = F.softmax(scores.unsqueeze(0) / temperatures.reshape(-1, 1, 1, 1), dim=-1)
    e = row_entropy(w)
    return w, e.reshape(e.size(0), -1).mean(dim=1)


def sharpness(weights, tgt_lengths):
    H, M = row_entropy(weights), weights.max(dim=2).values
    pairs = [(h[:n].mean(), m[:n].mean()) for h, m, n in zip(H, M, tgt_lengths)]
    entropy, maximum = zip(*pairs)
    return torch.stack(entropy), torch.stack(maximum)


def coverage(weights, src_lengths, tgt_lengths):
    received = torch.zeros_like(weights[:, 0])
    uniform = []
    for b, (S, T) in enumerate(zip(src_lengths.tolist(), tgt_lengths.tolist())):
        received[b, :S] = weights[b, :T, :S].sum(dim=0)
        uniform.append(row_entropy(received[b, :S] / T) / math.log(S) if S > 1 else torch.ones_like(received[b, 0]))
    return received, torch.stack(uniform)


def offsets(w):
    T, S = w.shape
    t = torch.arange(T).to(w).unsqueeze(1)
    j = torch.arange(S).to(w)
    return (w * (j - t * (S - 1) / max(T - 1, 1)).abs()).sum(dim=1)


def line(o):
    t = torch.arange(len(o)).to(o)
    t = t - t.mean()
    return (t @ o) / (t @ t) if len(o) > 1 else 0 * o.sum()


def diagonal_offset(weights, src_lengths, tgt_lengths):
    all_offsets = [offsets(w[:T, :S]) for w, S, T in zip(weights, src_lengths, tgt_lengths)]
    return torch.stack([o.mean() for o in all_offsets]), torch.stack([line(o) for o in all_offsets])


def alignment_links(weights, src_lengths, tgt_lengths):
    links = torch.zeros_like(weights, dtype=torch.bool)
    for b, (S, T) in enumerate(zip(src_lengths.tolist(), tgt_lengths.tolist())):
        links[b, torch.arange(T), weights[b, :T, :S].argmax(dim=1)] = True
    return links


def alignment_error_rate(links, sure, possible):
    possible = possible | sure
    a, s = links.sum(), sure.sum()
    if a + s == 0:
        return 0.0
    return float(1 - ((links & sure).sum() + (links & possible).sum()).double() / (a + s))


def facts(w):
    T, S = w.shape
    peaks = w.argmax(dim=1).tolist()
    return {
        "T": T,
        "S": S,
        "spread": float(row_entropy(w).mean()) / math.log(S) if S > 1 else 0.0,
        "height": float(w.max(dim=1).values.mean()),
        "different": len(set(peaks)),
        "steps": [abs(b - a) for a, b in zip(peaks, peaks[1:])],
        "most": max(peaks.count(p) for p in peaks),
        "drift": float(line(offsets(w))),
    }


PATTERN_RULES = (
    ("diffuse", lambda f: f["spread"] > 0.9),
    ("one-to-many", lambda f: f["height"] < 0.5),
    ("many-to-one", lambda f: 2 * f["different"] <= min(f["T"], f["S"])),
    # a jump of more than one word is a reordering
    ("reordered", lambda f: 10 * sum(step > 1 for step in f["steps"]) > f["T"] - 1),
    ("diagonal", lambda f: True),
)
FAILURE_RULES = (
    ("uniform", lambda f: f["spread"] > 0.9),
    ("over-concentrated", lambda f: min(f["T"], f["S"]) > 1 and f["height"] > 0.9 and 2 * f["most"] > f["T"]),
    ("drift", lambda f: f["drift"] > 0.2),
    ("none", lambda f: True),
)


def apply_rules(rules, names, weights, src_lengths, tgt_lengths):
    result = []
    for w, S, T in zip(weights.detach(), src_lengths, tgt_lengths):
        f = facts(w[:T, :S])
        result.append(names.index(next(name for name, rule in rules if rule(f))))
    return torch.tensor(result, device=weights.device)


def classify_pattern(weights, src_lengths, tgt_lengths):
    return apply_rules(PATTERN_RULES, PATTERNS, weights, src_lengths, tgt_lengths)


def diagnose_failure(weights, src_lengths, tgt_lengths):
    return apply_rules(FAILURE_RULES, FAILURES, weights, src_lengths, tgt_lengths)


def attention_geometry(x, temperature=1.0):
    W = F.softmax(x @ x.mT / temperature, dim=-1)
    y = W @ x
    before = F.cosine_similarity(x[:, :, None], x[:, None], dim=-1)
    after = F.cosine_similarity(y[:, :, None], y[:, None], dim=-1)
    T = x.size(1)
    pairs = W * (1 - torch.eye(T).to(W))
    gain = (pairs * (after - before)).sum((1, 2)) / (pairs.sum((1, 2)) if T > 1 else 1)
    return before, after, gain


def gradient_paths(queries, states, grad_contexts):
    a = F.softmax(queries @ states.mT, dim=-1)
    centred = grad_contexts @ states.mT - (grad_contexts * (a @ states)).sum(dim=-1, keepdim=True)
    return a.mT @ grad_contexts, (a * centred).mT @ queries


def gradient_norms(states, recurrent_weight, grad_states):
    totals = [grad_states[:, -1]]
    for t in reversed(range(states.size(1) - 1)):
        totals.append(grad_states[:, t] + (totals[-1] * (1 - states[:, t + 1] ** 2)) @ recurrent_weight)
    return torch.stack([total.norm(dim=1) for total in reversed(totals)], dim=1)


def answers(w, states, out_weight, out_bias):
    return F.softmax(F.linear(torch.einsum("...t,btd->...bd" if w.dim() == 1 else "...bt,btd->...bd", w, states), out_weight, out_bias), -1)


def permutation_test(weights, states, out_weight, out_bias, permutations):
    there = answers(weights, states, out_weight, out_bias)
    moved = torch.stack([answers(weights[:, p], states, out_weight, out_bias) for p in permutations])
    d = (there - moved).abs().sum(dim=-1) / 2
    return d, d.median(dim=0).values


def ablation_effects(weights, states, out_weight, out_bias):
    there = answers(weights, states, out_weight, out_bias)
    effects = []
    for j in range(weights.size(1)):
        w = weights.index_fill(1, torch.tensor([j], device=weights.device), 0.0)
        total = w.sum(dim=1, keepdim=True)
        w = w / total.masked_fill(total == 0, 1.0)
        effects.append((there - answers(w, states, out_weight, out_bias)).abs().sum(dim=-1) / 2)
    return torch.stack(effects, dim=1)


def rank_agreement(first, second):
    n = first.size(1)
    if n == 1:
        return first[:, 0] * 0
    i, j = torch.triu_indices(n, n, offset=1)
    return (torch.sign(first[:, i] - first[:, j]) * torch.sign(second[:, i] - second[:, j])).to(first.dtype).mean(dim=1)
