# Lists of results, further optional arguments, tensors without axes as numbers.
import math

import torch


def uniform_context(states, keep=False):
    weights = torch.full(states.shape[:2], 1 / states.shape[1], dtype=states.dtype, device=states.device)
    return [states.mean(1, keepdim=keep), weights]


def score_multiplications(kind, length, dim, attn_dim=None, *, query_length=1):
    costs = dict(
        additive=lambda: length * attn_dim * (dim + dim + 1), dot=lambda: length * dim, general=lambda: dim * (dim + length)
    )
    if kind not in costs:
        raise ValueError(f"{kind!r} is none of {sorted(costs)}")
    return torch.tensor(costs[kind]() * query_length)


def attention_bytes(length, heads=1, layers=1, bytes_per_number=4, sequences=1):
    return torch.tensor(length).square() * heads * layers * bytes_per_number * sequences


def entropy_bits(probabilities, base=2.0):
    logs = torch.where(probabilities.eq(0), torch.ones_like(probabilities), probabilities).log().div(math.log(base))
    return probabilities.mul(logs).sum(-1).neg()


def binary_channel_capacity(flip, symbols=1):
    flips = torch.tensor([flip, 1 - flip], dtype=torch.float64)
    return symbols * (1 - entropy_bits(flips))


def context_capacity(width, bits):
    return torch.tensor(width * bits)


def bits_per_token(vocabulary):
    return torch.tensor(vocabulary, dtype=torch.float64).log2()


def processing_chain(joint, channel, steps=1):
    after = joint
    for _ in range(steps):
        after = after.matmul(channel)
    return [mutual_information(one) for one in (joint, after)]


def own_answers(own):
    width, bits, source, target, vocabulary, gamma, heads, layers, flip = own
    steps = path_length(source, target, position=1)
    first = [context_capacity(width, bits), bits_per_token(vocabulary), longest_lossless(width, bits, vocabulary)]
    second = [steps, path_decay(gamma, steps), reach(gamma)]
    third = [attention_bytes(source, heads, layers, bits / 8), binary_channel_capacity(flip)]
    return first + second + third + [score_multiplications("dot", source, width)]
