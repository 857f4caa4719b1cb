# NumPy for plain numbers.
import numpy as np
import torch


def weight_of_dot(dim):
    return torch.from_numpy(np.eye(dim, dtype=np.float32))


def attention_bytes(length, heads=1, layers=1, bytes_per_number=4):
    return np.int64(length) ** 2 * heads * layers * bytes_per_number


def binary_channel_capacity(flip):
    p = np.array([flip, 1 - flip])
    p = p[p > 0]
    return 1 + np.sum(p * np.log2(p))


def context_capacity(width, bits):
    return np.prod([width, bits])


def bits_per_token(vocabulary):
    return np.log2(vocabulary)


def longest_lossless(width, bits, vocabulary):
    return int(np.floor(width * bits / np.log2(vocabulary)))


def path_decay(gamma, steps):
    return np.prod(np.full(steps, gamma))


def reach(gamma, threshold=1e-7):
    return np.floor(np.log(threshold) / np.log(gamma))
