# Functions of functions: accumulate, reduce and vmap over the sentences.
from functools import partial, reduce
from itertools import accumulate

import torch
from torch import nn
from torch.func import vmap


def coverage_attention(scores, penalty):
    def step(before, row):
        weights, seen = before
        seen = seen + weights
        return torch.softmax(row - penalty * seen, dim=-1), seen

    nothing = torch.zeros_like(scores[:, 0])
    steps = list(accumulate(scores.unbind(1), step, initial=(nothing, nothing)))[1:]
    weights, seen = zip(*steps)
    return torch.stack(weights, 1), torch.stack(seen, 1)


def mean_of_real(rows, lengths):
    """(B, T), (B,) -> scalar."""
    lengths = lengths.to(rows.device)
    real = torch.arange(rows.size(1), device=rows.device).lt(lengths.unsqueeze(1))
    return torch.where(real, rows, torch.zeros_like(rows)).sum() / lengths.sum()


def coverage_loss(weights, seen, tgt_lengths):
    return mean_of_real(torch.where(weights < seen, weights, seen).sum(-1), tgt_lengths)


def supervised_loss(task_loss, weights, gold, tgt_lengths, factor):
    squares = nn.functional.mse_loss(weights, gold, reduction="none")
    return torch.add(task_loss, mean_of_real(squares.sum(-1), tgt_lengths), alpha=factor)


def multi_hop(query, memory, hops):
    if hops < 1:
        raise ValueError("hops < 1")

    def hop(before, _):
        m, rows = before
        row = torch.softmax(vmap(torch.mv)(memory, m), dim=-1)
        return vmap(torch.mv)(memory.transpose(1, 2), row), (*rows, row)

    result, rows = reduce(hop, range(hops), (query, ()))
    return result, torch.stack(rows, dim=1)


def monotonic_attention(scores):
    places = torch.arange(scores.size(-1), device=scores.device)

    def step(before, row):
        return torch.softmax(torch.where(places >= before.argmax(-1, keepdim=True), row, -torch.inf), dim=-1)

    start = torch.zeros_like(scores[:, 0])  # the first largest one is at position 0
    return torch.stack(list(accumulate(scores.unbind(1), step, initial=start))[1:], dim=1)


def one_memory(memory, key, strength):
    unit = partial(nn.functional.normalize, dim=-1, eps=1e-7)
    return torch.softmax(strength * (unit(memory) @ unit(key)), dim=0)


def memory_address(memory, key, strength):
    return vmap(one_memory)(memory, key, strength)


def memory_read(memory, weights):
    return vmap(torch.matmul)(weights, memory)


def memory_write(memory, weights, erase, add):
    def one(memory, weights, erase, add):
        return memory - torch.outer(weights, erase) * memory + torch.outer(weights, add)

    return vmap(one)(memory, weights, erase, add)


def top_k_retrieval(query, keys, values, k):
    if k < 1 or k > keys.size(1):
        raise ValueError("k")
    best, indices = torch.topk(torch.bmm(query, keys.transpose(1, 2)), k, dim=2, largest=True, sorted=True)
    picked = vmap(lambda one, at: one[at])(values, indices)
    return torch.einsum("bqk,bqkv->bqv", torch.softmax(best / keys.size(2) ** 0.5, dim=2), picked), indices
