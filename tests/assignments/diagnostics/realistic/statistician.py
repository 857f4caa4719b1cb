"""Measures of association, after the textbook."""

import torch
import torch.nn.functional as F


def _ok(n, size):
    return torch.arange(size, device=n.device)[None] < n[:, None]


def row_entropy(weights):
    return -torch.xlogy(weights, weights.where(weights > 0, torch.ones_like(weights))).sum(-1)


def temperature_curve(scores, temperatures):
    w = (scores[None] / temperatures[:, None, None, None]).softmax(-1)
    return w, row_entropy(w).mean(dim=(-2, -1))


def _avg(v, n):
    return (v * _ok(n, v.shape[1])).sum(1) / n


def sharpness(weights, tgt_lengths):
    return _avg(row_entropy(weights), tgt_lengths), _avg(weights.max(-1)[0], tgt_lengths)


def coverage(weights, src_lengths, tgt_lengths):
    r = torch.einsum("bts,bt->bs", weights, _ok(tgt_lengths, weights.shape[1]).to(weights.dtype))
    h = row_entropy(r)
    one = src_lengths == 1
    return r, (h / src_lengths.to(h.dtype).log().masked_fill(one, 1)).masked_fill(one, 1)


def diagonal_offset(weights, src_lengths, tgt_lengths):
    _, n, m = weights.shape
    t = torch.arange(n, device=weights.device).to(weights.dtype)
    s = torch.arange(m, device=weights.device).to(weights.dtype)
    S, T = src_lengths.to(weights.dtype)[:, None], tgt_lengths.to(weights.dtype)[:, None]
    d = t * (S - 1) / (T - 1).clamp(min=1)
    o = (weights * (s - d[..., None]).abs()).sum(-1)
    c = (t - (T - 1) / 2) * _ok(tgt_lengths, n)
    return _avg(o, tgt_lengths), (c * o).sum(1) / (c * c).sum(1).clamp(min=0.1)


def alignment_links(weights, src_lengths, tgt_lengths):
    return (F.one_hot(weights.argmax(-1), weights.shape[-1]) > 0) & _ok(tgt_lengths, weights.shape[1])[..., None]


def alignment_error_rate(links, sure, possible):
    n = (links.sum() + sure.sum()).item()
    return 1 - ((links & sure).sum() + (links & (possible | sure)).sum()).item() / n if n else 0.0


def _spread(weights, src_lengths, tgt_lengths):
    h = sharpness(weights, tgt_lengths)[0]
    return h / src_lengths.to(h.dtype).log().masked_fill(src_lengths == 1, 1)


def classify_pattern(weights, src_lengths, tgt_lengths):
    links = alignment_links(weights, src_lengths, tgt_lengths)
    different = links.any(1).sum(1)
    p = weights.argmax(-1)
    back = ((p.diff(dim=1) < 0) & _ok(tgt_lengths - 1, p.shape[1] - 1)).sum(1)
    out = (10 * back > tgt_lengths - 1).long()
    out[2 * different <= torch.min(src_lengths, tgt_lengths)] = 2
    out[sharpness(weights, tgt_lengths)[1] < 0.5] = 3
    out[_spread(weights, src_lengths, tgt_lengths) > 0.9] = 4
    return out


def diagnose_failure(weights, src_lengths, tgt_lengths):
    most = alignment_links(weights, src_lengths, tgt_lengths).sum(1).max(1)[0]
    out = 3 * (diagonal_offset(weights, src_lengths, tgt_lengths)[1] > 0.2).long()
    big = (src_lengths > 1) & (tgt_lengths > 1)
    out[big & (sharpness(weights, tgt_lengths)[1] > 0.9) & (2 * most > tgt_lengths)] = 2
    out[_spread(weights, src_lengths, tgt_lengths) > 0.9] = 1
    return out


def attention_geometry(x, temperature=1.0):
    w = (x @ x.mT / temperature).softmax(-1)
    y = w @ x
    before, after = (F.normalize(z, dim=-1) @ F.normalize(z, dim=-1).mT for z in (x, y))
    off = w * (1 - torch.eye(w.shape[-1], dtype=w.dtype, device=w.device))
    return before, after, (off * (after - before)).sum((1, 2)) / off.sum((1, 2)).clamp(min=1e-20)


def gradient_paths(queries, states, grad_contexts):
    a = (queries @ states.mT).softmax(-1)
    gh = grad_contexts @ states.mT
    return a.mT @ grad_contexts, (a * (gh - (a * gh).sum(-1, keepdim=True))).mT @ queries


def gradient_norms(states, recurrent_weight, grad_states):
    g = [*grad_states.unbind(1)]
    for t in range(len(g) - 1)[::-1]:
        g[t] = g[t] + ((1 - states[:, t + 1] ** 2) * g[t + 1]) @ recurrent_weight
    return torch.stack(g, 1).norm(dim=2)


def _p(w, h, W, b):
    return ((w[..., None] * h).sum(-2) @ W.T + b).softmax(-1)


def permutation_test(weights, states, out_weight, out_bias, permutations):
    q = torch.stack([_p(weights[:, order], states, out_weight, out_bias) for order in permutations])
    d = (q - _p(weights, states, out_weight, out_bias)).abs().sum(-1) / 2
    return d, d.median(0)[0]


def ablation_effects(weights, states, out_weight, out_bias):
    k = weights[:, None] * (1 - torch.eye(weights.shape[1], dtype=weights.dtype, device=weights.device))
    k = k / k.sum(-1, keepdim=True).clamp(min=1e-20)
    q = _p(k, states[:, None], out_weight, out_bias)
    return (q - _p(weights, states, out_weight, out_bias)[:, None]).abs().sum(-1) / 2


def rank_agreement(first, second):
    a, b = ((x[:, :, None] - x[:, None]).sign() for x in (first, second))
    n = first.shape[1]
    return (a * b).sum((1, 2)) / ((a * a).sum((1, 2)) * (b * b).sum((1, 2))).sqrt() if n > 1 else first[:, 0] * 0
