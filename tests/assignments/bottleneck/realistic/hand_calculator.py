"""Bottleneck. I deleted the given part of the file, since the README says that it is not needed."""
import math
from fractions import Fraction

import torch

TOKEN = "attngrade1.bottleneck.bWlh.3c5d0a9917be42f8."


def uniform_context(states):
    length = states.shape[1]
    weights = torch.full(states.shape[:2], 1 / length, dtype=states.dtype, device=states.device)
    return states.mean(dim=1), weights


def weight_of_dot(dim):
    W = torch.zeros(dim, dim)
    for i in range(dim):
        W[i, i] = 1
    return W


def score_multiplications(kind, length, dim, attn_dim=None):
    if kind not in ("additive", "dot", "general"):
        raise ValueError("kind is additive, dot or general, not " + str(kind))
    total = 0
    if kind == "general":
        total += dim * dim  # W s, once
    for _ in range(length):
        if kind == "additive":
            total += dim * attn_dim  # W_s s
            total += dim * attn_dim  # W_h h
            total += attn_dim  # v
        else:
            total += dim
    return total


def attention_bytes(length, heads=1, layers=1, bytes_per_number=4):
    one_matrix = length * length * bytes_per_number
    return layers * heads * one_matrix


def plogp(p):
    zero = p == 0
    q = p.masked_fill(zero, 1)
    return (p * torch.log(q) / math.log(2)).masked_fill(zero, 0)


def entropy_bits(probabilities):
    return -plogp(probabilities).sum(-1)


def conditional_entropy(joint):
    # sum over y of p(y) H(X | y), written as -sum p(x,y) log p(x,y)/p(y)
    of_y = joint.sum(0)
    return -(plogp(joint).sum() - plogp(of_y).sum())


def mutual_information(joint):
    return plogp(joint).sum() - plogp(joint.sum(0)).sum() - plogp(joint.sum(1)).sum()


def processing_chain(joint, channel):
    xz = torch.einsum("xy,yz->xz", joint, channel)
    return mutual_information(joint), mutual_information(xz)


def binary_channel_capacity(flip):
    lost = 0.0
    for p in (flip, 1 - flip):
        if p > 0:
            lost -= p * math.log2(p)
    return 1 - lost


def context_capacity(width, bits):
    return width * bits


def bits_per_token(vocabulary):
    return math.log(vocabulary, 2)


def longest_lossless(width, bits, vocabulary):
    # V^T different sentences must fit into 2^capacity contexts: exact, with whole numbers
    room = 2 ** (width * bits)
    low, high = 0, width * bits
    while low < high:
        middle = (low + high + 1) // 2
        if vocabulary**middle <= room:
            low = middle
        else:
            high = middle - 1
    return low


def path_length(source_length, target_length, position, attention=False):
    if attention:
        return 1
    return target_length + source_length - position


def path_decay(gamma, steps):
    left = 1.0
    for _ in range(steps):
        left = left * gamma
        if left == 0:
            break
    return left


def reach(gamma, threshold=1e-7):
    steps, left = 0, Fraction(1)
    while float(left) * gamma >= threshold:
        left = Fraction(float(left) * gamma)
        steps += 1
    return steps


def decay_along(states, recurrent_weight):
    T, d = states.shape
    result = []
    for t in range(T):
        J = torch.eye(d, dtype=states.dtype, device=states.device)
        for u in range(t + 1, T):
            J = torch.diag(1 - states[u] ** 2) @ recurrent_weight @ J
        result.append(torch.linalg.matrix_norm(J, ord=2))
    return torch.stack(result)


def own_answers(own):
    n = path_length(own.source_length, own.target_length, 1)
    a1 = context_capacity(own.width, own.bits)
    a2 = bits_per_token(own.vocabulary)
    a3 = longest_lossless(own.width, own.bits, own.vocabulary)
    a5 = path_decay(own.gamma, n)
    a6 = reach(own.gamma)
    a7 = attention_bytes(own.source_length, own.heads, own.layers, own.bits // 8)
    a8 = binary_channel_capacity(own.flip)
    a9 = score_multiplications("dot", own.source_length, own.width)
    return a1, a2, a3, n, a5, a6, a7, a8, a9


def quiz_answers():
    return "ACADCDAAAABD"
