"""Reading attention. I think of every sentence as a table, so most functions go over sentences and use small tables."""
import numpy as np
import torch

PATTERNS = ("diagonal", "reordered", "many-to-one", "one-to-many", "diffuse")
FAILURES = ("none", "uniform", "over-concentrated", "drift")


def row_entropy(weights):
    zero = weights == 0
    safe = torch.where(zero, torch.ones_like(weights), weights)
    return torch.sum(-weights * torch.log(safe), axis=-1)


def temperature_curve(scores, temperatures):
    tables = torch.stack([torch.softmax(scores / t, axis=-1) for t in temperatures])
    return tables, row_entropy(tables).mean(axis=(1, 2))


def tables(weights, src_lengths, tgt_lengths):
    """The real part of each sentence."""
    for w, s, t in zip(weights, src_lengths.tolist(), tgt_lengths.tolist()):
        yield w[:t, :s]


def sharpness(weights, tgt_lengths):
    cut = [w[:n] for w, n in zip(weights, tgt_lengths.tolist())]
    return torch.stack([row_entropy(w).mean() for w in cut]), torch.stack([w.max(axis=1).values.mean() for w in cut])


def coverage(weights, src_lengths, tgt_lengths):
    received, uniformity = [], []
    for table in tables(weights, src_lengths, tgt_lengths):
        T, S = table.shape
        column = table.sum(axis=0)
        received.append(torch.cat([column, column.new_zeros(weights.shape[2] - S)]))
        uniformity.append(row_entropy(column / T) / np.log(S) if S > 1 else torch.ones_like(column[0]))
    return torch.stack(received), torch.stack(uniformity)


def offsets_of(table):
    T, S = table.shape
    t = torch.arange(T, dtype=table.dtype, device=table.device)[:, np.newaxis]
    j = torch.arange(S, dtype=table.dtype, device=table.device)[np.newaxis, :]
    diagonal = t * (S - 1) / (T - 1) if T > 1 else 0 * t
    return (table * (j - diagonal).abs()).sum(axis=1)


def slope(y):
    n = len(y)
    if n == 1:
        return 0 * y[0]
    x = torch.arange(n, dtype=y.dtype, device=y.device)
    # numpy would call this polyfit
    x = x - x.mean()
    return (x * (y - y.mean())).sum() / (x * x).sum()


def diagonal_offset(weights, src_lengths, tgt_lengths):
    o = [offsets_of(table) for table in tables(weights, src_lengths, tgt_lengths)]
    return torch.stack([x.mean() for x in o]), torch.stack([slope(x) for x in o])


def peaks_of(table):
    return table.argmax(axis=1).tolist()


def alignment_links(weights, src_lengths, tgt_lengths):
    links = torch.zeros(weights.shape, dtype=torch.bool, device=weights.device)
    for b, table in enumerate(tables(weights, src_lengths, tgt_lengths)):
        for t, j in enumerate(peaks_of(table)):
            links[b, t, j] = True
    return links


def alignment_error_rate(links, sure, possible):
    a, s = int(links.sum()), int(sure.sum())
    if a + s == 0:
        return 0.0
    in_sure = int(torch.logical_and(links, sure).sum())
    in_possible = int(torch.logical_and(links, torch.logical_or(possible, sure)).sum())
    return 1 - (in_sure + in_possible) / (a + s)


def spread_of(table):
    S = table.shape[1]
    return float(row_entropy(table).mean()) / np.log(S) if S > 1 else 0.0


def height_of(table):
    return float(table.max(axis=1).values.mean())


def pattern_of(table):
    T, S = table.shape
    peaks = peaks_of(table)
    steps = np.diff(peaks)
    if spread_of(table) > 0.9:
        return 4
    if height_of(table) < 0.5:
        return 3
    if len(np.unique(peaks)) * 2 <= min(T, S):
        return 2
    if (steps < 0).sum() * 10 > T - 1:
        return 1
    return 0


def classify_pattern(weights, src_lengths, tgt_lengths):
    found = [pattern_of(table.detach()) for table in tables(weights, src_lengths, tgt_lengths)]
    return torch.tensor(found, dtype=torch.int64, device=weights.device)


def failure_of(table):
    T, S = table.shape
    if spread_of(table) > 0.9:
        return 1
    often = max(np.bincount(peaks_of(table)))
    if T >= 2 and S >= 2 and height_of(table) > 0.9 and often > T / 2:
        return 2
    if float(slope(offsets_of(table))) > 0.2:
        return 3
    return 0


def diagnose_failure(weights, src_lengths, tgt_lengths):
    found = [failure_of(table.detach()) for table in tables(weights, src_lengths, tgt_lengths)]
    return torch.tensor(found, dtype=torch.int64, device=weights.device)


def cosines(x):
    unit = torch.nn.functional.normalize(x, dim=-1)
    return unit @ unit.transpose(-1, -2)


def attention_geometry(x, temperature=1.0):
    W = torch.softmax(x @ x.transpose(-1, -2) / temperature, axis=-1)
    before, after = cosines(x), cosines(W @ x)
    others = W * (1 - torch.eye(x.shape[1], dtype=x.dtype, device=x.device))
    if x.shape[1] == 1:
        return before, after, x[:, 0, 0] * 0
    return before, after, (others * (after - before)).sum(axis=(1, 2)) / others.sum(axis=(1, 2))


def gradient_paths(queries, states, grad_contexts):
    a = torch.softmax(torch.einsum("btd,bsd->bts", queries, states), axis=-1)
    c = torch.einsum("bts,bsd->btd", a, states)
    direct = torch.einsum("bts,btd->bsd", a, grad_contexts)
    g_h = torch.einsum("btd,bsd->bts", grad_contexts, states)
    g_c = torch.einsum("btd,btd->bt", grad_contexts, c)[:, :, np.newaxis]
    indirect = torch.einsum("bts,btd->bsd", a * (g_h - g_c), queries)
    return direct, indirect


def gradient_norms(states, recurrent_weight, grad_states):
    T = states.shape[1]
    totals = [None] * T
    totals[T - 1] = grad_states[:, T - 1]
    for t in range(T - 2, -1, -1):
        through = (1 - states[:, t + 1] ** 2) * totals[t + 1]
        totals[t] = grad_states[:, t] + torch.einsum("ij,bi->bj", recurrent_weight, through)
    return torch.linalg.vector_norm(torch.stack(totals, axis=1), axis=2)


def answer(weights, states, out_weight, out_bias):
    c = torch.einsum("...t,...td->...d", weights, states)
    return torch.softmax(c @ out_weight.T + out_bias, axis=-1)


def total_variation(p, q):
    return 0.5 * (p - q).abs().sum(axis=-1)


def permutation_test(weights, states, out_weight, out_bias, permutations):
    p = answer(weights, states, out_weight, out_bias)
    d = torch.stack([total_variation(p, answer(weights[:, n], states, out_weight, out_bias)) for n in permutations])
    return d, torch.sort(d, axis=0).values[len(d) // 2]


def ablation_effects(weights, states, out_weight, out_bias):
    p = answer(weights, states, out_weight, out_bias)
    effects = []
    for j in range(weights.shape[1]):
        rest = weights.clone()
        rest[:, j] = 0
        total = rest.sum(axis=1, keepdims=True)
        rest = rest / torch.where(total == 0, torch.ones_like(total), total)
        effects.append(total_variation(p, answer(rest, states, out_weight, out_bias)))
    return torch.stack(effects, axis=1)


def rank_agreement(first, second):
    T = first.shape[1]
    i, j = np.triu_indices(T, k=1)
    if len(i) == 0:
        return torch.zeros_like(first[:, 0])
    signs = torch.sign(first[:, i] - first[:, j]) * torch.sign(second[:, i] - second[:, j]).to(first.dtype)
    return signs.mean(axis=1)


if __name__ == "__main__":
    w = torch.softmax(torch.randn(2, 5, 6) * 3, -1)
    print(sharpness(w, torch.tensor([5, 2])), classify_pattern(w, torch.tensor([6, 3]), torch.tensor([5, 2])))
