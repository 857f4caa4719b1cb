# Beginner: one cell of the table at a time, plain loops.
import math

import torch


def uniform_context(states):
    B, T, d = states.shape
    context = torch.zeros(B, d, dtype=states.dtype, device=states.device)
    for t in range(T):
        context = context + states[:, t] / T
    weights = torch.stack([torch.full_like(states[:, 0, 0], 1 / T) for _ in range(T)], dim=1)
    return context, weights


def weight_of_dot(dim):
    W = torch.zeros(dim, dim)
    for i in range(dim):
        W[i, i] = 1.0
    return W


def score_multiplications(kind, length, dim, attn_dim=None):
    if kind == "dot":
        return sum(dim for _ in range(length))
    elif kind == "general":
        count = dim * dim
        for _ in range(length):
            count += dim
        return count
    elif kind == "additive":
        count = 0
        for _ in range(length):
            count += dim * attn_dim
            count += dim * attn_dim
            count += attn_dim
        return count
    else:
        raise ValueError("kind must be additive, dot or general, not " + str(kind))


def conditional_entropy(joint):
    total = joint.sum() * 0
    for y in range(joint.shape[1]):
        p_y = joint[:, y].sum()
        for x in range(joint.shape[0]):
            if joint[x, y] > 0:
                total = total - joint[x, y] * torch.log2(joint[x, y] / p_y)
    return total


def mutual_information(joint):
    p_x = [row.sum() for row in joint]
    p_y = [column.sum() for column in joint.T]
    total = joint.sum() * 0
    for x in range(len(p_x)):
        for y in range(len(p_y)):
            if joint[x, y] > 0:
                total = total + joint[x, y] * torch.log2(joint[x, y] / (p_x[x] * p_y[y]))
    return total


def processing_chain(joint, channel):
    rows = []
    for x in range(joint.shape[0]):
        row = []
        for z in range(channel.shape[1]):
            row.append(sum(joint[x, y] * channel[y, z] for y in range(joint.shape[1])))
        rows.append(torch.stack(row))
    return mutual_information(joint), mutual_information(torch.stack(rows))


def longest_lossless(width, bits, vocabulary):
    tokens = 0
    while (tokens + 1) * math.log2(vocabulary) <= width * bits + 1e-9:
        tokens += 1
    return tokens


def path_length(source_length, target_length, position, attention=False):
    steps = 1
    if not attention:
        steps = 0
        for _ in range(target_length):
            steps += 1
        while position < source_length:
            position += 1
            steps += 1
    return steps


def path_decay(gamma, steps):
    left = 1.0
    for _ in range(steps):
        left *= gamma
    return left


def reach(gamma, threshold=1e-7):
    steps, left = 0, 1.0
    while left * gamma >= threshold:
        left = left * gamma
        steps = steps + 1
    return steps
