# Each block gives a maximum, a sum and values; two such parts merge into one, in any order.
import math
from functools import reduce

import torch


def part(query, key, value):
    scores = torch.baddbmm(query.new_zeros(1, 1, 1), query, key.transpose(1, 2), beta=0, alpha=1 / math.sqrt(query.size(2)))
    top = scores.max(dim=2, keepdim=True).values
    powers = (scores - top).exp()
    return top, powers.sum(dim=2, keepdim=True), powers.bmm(value)


def merge(one, other):
    top = torch.where(one[0] > other[0], one[0], other[0])
    a, b = (one[0] - top).exp(), (other[0] - top).exp()
    return top, a * one[1] + b * other[1], a * one[2] + b * other[2]


def streamed_attention(query, key, value, block_size):
    if not block_size >= 1:
        raise ValueError("no block")
    slices = (slice(i, min(i + block_size, key.size(1))) for i in range(0, key.size(1), block_size))
    _, total, summed = reduce(merge, (part(query, key[:, one], value[:, one]) for one in slices))
    return summed.div(total)
