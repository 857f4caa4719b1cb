# Sums by einsum, masks as numbers that are multiplied.
import torch
from torch.nn import functional as F


def _ones(lengths, width, like):
    return (torch.arange(width, device=like.device)[None] < lengths[:, None]).to(like.dtype)


def sharpness(weights, tgt_lengths):
    share = _ones(tgt_lengths, weights.shape[1], weights) / tgt_lengths[:, None]
    return (
        torch.einsum("bt,bt->b", share, row_entropy(weights)),
        torch.einsum("bt,bt->b", share, weights.amax(-1)),
    )


def coverage(weights, src_lengths, tgt_lengths):
    rows = _ones(tgt_lengths, weights.shape[1], weights)
    columns = _ones(src_lengths, weights.shape[2], weights)
    received = torch.einsum("btj,bt,bj->bj", weights, rows, columns)
    entropy = row_entropy(received / tgt_lengths[:, None])
    largest = torch.log(src_lengths.to(weights.dtype))
    single = src_lengths == 1
    return received, (entropy * ~single + single) / (largest + single)


def diagonal_offset(weights, src_lengths, tgt_lengths):
    B, T_t, T_s = weights.shape
    rows = _ones(tgt_lengths, T_t, weights)
    columns = _ones(src_lengths, T_s, weights)
    t = torch.arange(T_t, device=weights.device, dtype=weights.dtype)
    j = torch.arange(T_s, device=weights.device, dtype=weights.dtype)
    T, S = tgt_lengths.to(weights.dtype), src_lengths.to(weights.dtype)
    diagonal = torch.einsum("t,b->bt", t, (S - 1) / torch.clamp(T - 1, min=1))
    o = torch.einsum("btj,btj,bj->bt", weights, (j - diagonal[..., None]).abs(), columns)
    n, st, stt = T, torch.einsum("bt,t->b", rows, t), torch.einsum("bt,t,t->b", rows, t, t)
    so, sto = torch.einsum("bt,bt->b", rows, o), torch.einsum("bt,t,bt->b", rows, t, o)
    below = n * stt - st * st
    return so / n, (n * sto - st * so) / torch.where(below == 0, torch.ones_like(below), below)


def attention_geometry(x, temperature=1.0):
    W = torch.einsum("bid,bjd->bij", x, x).div(temperature).softmax(-1)
    y = torch.einsum("bij,bjd->bid", W, x)
    x, y = F.normalize(x, dim=-1), F.normalize(y, dim=-1)
    before, after = torch.einsum("bid,bjd->bij", x, x), torch.einsum("bid,bjd->bij", y, y)
    others = 1 - torch.eye(x.shape[1], dtype=x.dtype, device=x.device)
    total = torch.einsum("bij,ij->b", W, others)
    gain = torch.einsum("bij,ij,bij->b", W, others, after - before)
    return before, after, gain / torch.where(total > 0, total, torch.ones_like(total))


def gradient_paths(queries, states, grad_contexts):
    a = torch.einsum("btd,bsd->bts", queries, states).softmax(-1)
    direct = torch.einsum("bts,btd->bsd", a, grad_contexts)
    c = torch.einsum("bts,bsd->btd", a, states)
    along = torch.einsum("btd,btsd->bts", grad_contexts, states[:, None] - c[:, :, None])
    return direct, torch.einsum("bts,bts,btd->bsd", a, along, queries)


def gradient_norms(states, recurrent_weight, grad_states):
    slopes = (1 - states) * (1 + states)
    totals = [grad_states[:, -1]]
    for slope, outside in zip(slopes.flip(1).unbind(1), grad_states[:, :-1].flip(1).unbind(1)):
        totals.append(outside + torch.einsum("oi,bo,bo->bi", recurrent_weight, slope, totals[-1]))
    totals = torch.stack(totals, 1).flip(1)
    return totals.norm(p=2, dim=2)


def ablation_effects(weights, states, out_weight, out_bias):
    T = weights.shape[1]
    kept = torch.einsum("bt,jt->bjt", weights, 1 - torch.eye(T, dtype=weights.dtype, device=weights.device))
    total = kept.sum(-1, keepdim=True)
    kept = torch.where(total > 0, kept / torch.where(total > 0, total, 1.0), torch.zeros_like(kept))
    p = F.linear(torch.einsum("bt,btd->bd", weights, states), out_weight, out_bias).softmax(-1)
    q = F.linear(torch.einsum("bjt,btd->bjd", kept, states), out_weight, out_bias).softmax(-1)
    return 0.5 * (p[:, None] - q).abs().sum(-1)
