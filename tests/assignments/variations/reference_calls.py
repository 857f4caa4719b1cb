"""Calls of the reference on which its conventions are tested (see ../test_conventions.py)."""

import torch

from reference.variations import functions, memories, readers
from tests.assignments.tensor_helpers import tensors


def shares(*shapes):
    """Weights that sum to 1 along the last axis."""
    return [one.softmax(-1) for one in tensors(*shapes)]


def calls(B, T_t, T_s):
    """name -> function, its tensors. Every floating-point tensor here must get its gradient."""
    table, lengths = (B, T_t, T_s), torch.arange(B) % T_t + 1
    words = [*tensors((B, T_t, 3), (B, T_s, 3), (1, 9)), torch.ones(B, T_t).bool(), torch.ones(B, T_s).bool()]
    heads = [*tensors((B, T_t, 4), (B, T_s, 6)), *(one / 2 for one in tensors((4, 6), (6, 6)))]
    rnn = {"weight_ih_l0": (6, 4), "weight_hh_l0": (6, 2), "bias_ih_l0": (6,), "bias_hh_l0": (6,)}
    weights = {f"{name}{way}": shape for way in ("", "_reverse") for name, shape in rnn.items()}
    memory = tensors((B, T_s, 3), (B, 3))
    return {
        "coverage_attention": (lambda scores: functions.coverage_attention(scores, 1.3), tensors(table)),
        "coverage_loss of weights": (functions.coverage_loss, [*shares(table, table)[::-1], lengths]),
        "supervised_loss": (
            lambda task, w, gold, rows: functions.supervised_loss(task.mean(), w, gold, rows, 0.4),
            [*tensors((B,)), *shares(table, table), lengths],
        ),
        "monotonic_attention": (lambda scores: functions.monotonic_attention(scores), tensors(table)),
        "diagonal_prior_attention": (
            lambda scores, S, T: functions.diagonal_prior_attention(scores, S, T, 1.5),
            [*tensors(table), torch.full((B,), T_s), lengths],
        ),
        "copy_distribution": (
            lambda p, vocab, w, ids: functions.copy_distribution(p, vocab, w, ids, T_s + 5),
            [*shares((B,), (B, 4), (B, T_s)), torch.arange(T_s).expand(B, -1)],
        ),
        "multi_hop": (lambda query, memory: readers.multi_hop(query, memory, 2), tensors((B, 3), (B, T_s, 3))),
        "bidaf": (lambda h, u, w, c, q: readers.bidaf(readers.trilinear(h, u, w), h, u, c, q), words),
        "spatial_attention": (readers.spatial_attention, tensors((B, 3, T_t, T_s), (B, 2), (2, 3))),
        "both_directions": (
            lambda x, *W: readers.both_directions(x, lengths, dict(zip(weights, W, strict=True))),
            [tensors((B, T_t, 4))[0], *tensors(*weights.values())],
        ),
        "memory_address": (memories.memory_address, [*memory, tensors((B,))[0] + 2]),
        "memory_read": (memories.memory_read, [memory[0], *shares((B, T_s))]),
        "memory_write": (
            memories.memory_write,
            [memory[0], *shares((B, T_s)), tensors((B, 3))[0].sigmoid(), memory[1]],
        ),
        "multi_head_luong": (lambda *given: memories.multi_head_luong(*given, heads=2), heads),
        "top_k_retrieval": (
            lambda query, keys, values: memories.top_k_retrieval(query, keys, values, 1 + (T_s > 2))[0],
            tensors((B, T_t, 3), (B, T_s, 3), (B, T_s, 2)),
        ),
    }
