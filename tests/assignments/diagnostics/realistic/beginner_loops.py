import math

import torch

PATTERNS = ("diagonal", "reordered", "many-to-one", "one-to-many", "diffuse")
FAILURES = ("none", "uniform", "over-concentrated", "drift")


def row_entropy(weights):
    safe = torch.where(weights > 0, weights, torch.ones_like(weights))
    return -(safe * torch.log(safe)).sum(-1)


def temperature_curve(scores, temperatures):
    weights = torch.stack([torch.softmax(scores / temperature, -1) for temperature in temperatures])
    return weights, torch.stack([row_entropy(one).mean() for one in weights])


def cut(weights, src_lengths, tgt_lengths):
    for sentence, S, T in zip(weights, src_lengths.tolist(), tgt_lengths.tolist()):
        yield sentence[:T, :S], S, T


def sharpness(weights, tgt_lengths):
    # print('weights', weights.shape)
    assert weights.dim() == 3
    rows = [sentence[:T] for sentence, T in zip(weights, tgt_lengths.tolist())]
    entropies = [row_entropy(one).mean() for one in rows]
    return torch.stack(entropies), torch.stack([one.max(-1).values.mean() for one in rows])


def coverage(weights, src_lengths, tgt_lengths):
    print('coverage of', len(weights), 'sentences')
    received, uniformity = [], []
    for sentence, S, T in cut(weights, src_lengths, tgt_lengths):
        column = sentence.sum(0)
        received.append(torch.cat([column, column.new_zeros(weights.shape[2] - S)]))
        uniformity.append(row_entropy(column / T) / math.log(S) if S > 1 else column.sum() * 0 + 1)
    return torch.stack(received), torch.stack(uniformity)


def diagonal_offset(weights, src_lengths, tgt_lengths):
    offsets, drifts = [], []
    for sentence, S, T in cut(weights, src_lengths, tgt_lengths):
        rows = []
        for t in range(T):
            diagonal = t * (S - 1) / (T - 1) if T > 1 else 0.0
            rows.append(sum(sentence[t, j] * abs(j - diagonal) for j in range(S)))
        o = torch.stack(rows)
        offsets.append(o.mean())
        if T == 1:
            drifts.append(0 * o.sum())
        else:
            middle = (T - 1) / 2
            above = sum((t - middle) * (o[t] - o.mean()) for t in range(T))
            drifts.append(above / sum((t - middle) ** 2 for t in range(T)))
    return torch.stack(offsets), torch.stack(drifts)


def alignment_links(weights, src_lengths, tgt_lengths):
    links = torch.zeros(weights.shape, dtype=torch.bool, device=weights.device)
    for b, (sentence, _, T) in enumerate(cut(weights, src_lengths, tgt_lengths)):
        for t in range(T):
            links[b, t, int(sentence[t].argmax())] = True
    return links


def alignment_error_rate(links, sure, possible):
    def cells(mask):
        return set(map(tuple, mask.nonzero().tolist()))

    a, s = cells(links), cells(sure)
    p = cells(possible) | s
    return 1 - (len(a & s) + len(a & p)) / (len(a) + len(s)) if a or s else 0.0


def spread(sentence, S):
    return float(row_entropy(sentence).mean()) / math.log(S) if S > 1 else 0.0


def classify_pattern(weights, src_lengths, tgt_lengths):
    found = []
    for sentence, S, T in cut(weights, src_lengths, tgt_lengths):
        peaks = [int(row.argmax()) for row in sentence]
        backwards = len([1 for t in range(1, T) if peaks[t] < peaks[t - 1]])
        if spread(sentence, S) > 0.9:
            found.append(4)
        elif float(sentence.max(-1).values.mean()) < 0.5:
            found.append(3)
        elif len(set(peaks)) <= min(S, T) / 2:
            found.append(2)
        elif T > 1 and backwards / (T - 1) > 0.1:
            found.append(1)
        else:
            found.append(0)
    return torch.tensor(found, dtype=torch.int64, device=weights.device)


def diagnose_failure(weights, src_lengths, tgt_lengths):
    drift = diagonal_offset(weights, src_lengths, tgt_lengths)[1]
    found = []
    for b, (sentence, S, T) in enumerate(cut(weights, src_lengths, tgt_lengths)):
        peaks = [int(row.argmax()) for row in sentence]
        most = max(peaks.count(peak) for peak in peaks)
        if spread(sentence, S) > 0.9:
            found.append(1)
        elif T >= 2 and S >= 2 and sentence.max(-1).values.mean() > 0.9 and most > T / 2:
            found.append(2)
        else:
            found.append(3 if drift[b] > 0.2 else 0)
    return torch.tensor(found, dtype=torch.int64, device=weights.device)


def cosine(a, b):
    lengths = a.square().sum(), b.square().sum()
    if lengths[0] == 0 or lengths[1] == 0:
        return (a * b).sum()
    return (a * b).sum() / (lengths[0].sqrt() * lengths[1].sqrt())


def attention_geometry(x, temperature=1.0):
    befores, afters, gains = [], [], []
    for rows in x:
        W = torch.softmax(rows @ rows.T / temperature, 1)
        y = W @ rows
        before = torch.stack([torch.stack([cosine(a, b) for b in rows]) for a in rows])
        after = torch.stack([torch.stack([cosine(a, b) for b in y]) for a in y])
        pairs = [(i, j) for i in range(len(rows)) for j in range(len(rows)) if i != j]
        above = sum((W[i, j] * (after[i, j] - before[i, j]) for i, j in pairs), 0 * W.sum())
        gains.append(above / sum(W[i, j] for i, j in pairs) if pairs else above)
        befores.append(before)
        afters.append(after)
    return torch.stack(befores), torch.stack(afters), torch.stack(gains)


def gradient_paths(queries, states, grad_contexts):
    directs, indirects = [], []
    for q, h, g in zip(queries, states, grad_contexts):
        direct, indirect = torch.zeros_like(h), torch.zeros_like(h)
        for t in range(len(q)):
            a = torch.softmax(h @ q[t], 0)
            c = a @ h
            direct = direct + torch.outer(a, g[t])
            indirect = indirect + torch.outer(a * (h @ g[t] - g[t] @ c), q[t])
        directs.append(direct)
        indirects.append(indirect)
    return torch.stack(directs), torch.stack(indirects)


# checked with autograd on paper: same numbers :)
def gradient_norms(states, recurrent_weight, grad_states):
    batch = []
    for h, g in zip(states, grad_states):
        total = g[-1]
        norms = [torch.linalg.vector_norm(total)]
        for t in range(len(h) - 2, -1, -1):
            total = g[t] + recurrent_weight.T @ ((1 - h[t + 1] ** 2) * total)
            norms.append(torch.linalg.vector_norm(total))
        batch.append(torch.stack(norms[::-1]))
    return torch.stack(batch)


def answer(w, h, out_weight, out_bias):
    return torch.softmax(out_weight @ (w @ h) + out_bias, 0)


def permutation_test(weights, states, out_weight, out_bias, permutations):
    distances = []
    for order in permutations:
        row = []
        for w, h in zip(weights, states):
            p, q = answer(w, h, out_weight, out_bias), answer(w[order], h, out_weight, out_bias)
            row.append((p - q).abs().sum() / 2)
        distances.append(torch.stack(row))
    distances = torch.stack(distances)
    return distances, distances.sort(0).values[len(distances) // 2]


def ablation_effects(weights, states, out_weight, out_bias):
    effects = []
    for w, h in zip(weights, states):
        p, row = answer(w, h, out_weight, out_bias), []
        for j in range(len(w)):
            others = [i for i in range(len(w)) if i != j]
            total = w[others].sum()
            kept = torch.cat([w[:j], w[:1] * 0, w[j + 1 :]])
            kept = kept / total if total != 0 else kept * 0
            row.append((p - answer(kept, h, out_weight, out_bias)).abs().sum() / 2)
        effects.append(torch.stack(row))
    return torch.stack(effects)


def rank_agreement(first, second):
    found = []
    for a, b in zip(first.tolist(), second.tolist()):
        signs = []
        for i in range(len(a)):
            for j in range(i + 1, len(a)):
                signs.append(((a[i] > a[j]) - (a[i] < a[j])) * ((b[i] > b[j]) - (b[i] < b[j])))
        found.append(sum(signs) / len(signs) if signs else 0.0)
    return torch.tensor(found, dtype=first.dtype, device=first.device)
