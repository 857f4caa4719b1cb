# Small guards in the logarithms in place of conditions.
import math

import torch

EPS = 1e-12


def entropy_bits(probabilities):
    return -(probabilities * torch.log2(probabilities.clamp_min(EPS))).sum(-1)


def conditional_entropy(joint):
    of_y = joint.sum(0, keepdim=True)
    return -(joint * ((joint + EPS) / (of_y + EPS)).log2()).sum()


def mutual_information(joint):
    independent = joint.sum(1, keepdim=True) * joint.sum(0, keepdim=True)
    return (joint * (torch.log2(joint.clamp_min(EPS)) - torch.log2(independent.clamp_min(EPS)))).sum()


def binary_channel_capacity(flip):
    return 1 + sum(p * math.log2(max(p, 1e-300)) for p in (flip, 1 - flip))
