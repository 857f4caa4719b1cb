# Divides by sums first, in case they are not quite 1.
import torch


def entropy_bits(probabilities):
    p = probabilities / probabilities.sum(dim=-1, keepdim=True)
    return -(p * torch.where(p == 0, torch.ones_like(p), p).log2()).sum(dim=-1)


def conditional_entropy(joint):
    p = joint / joint.sum()
    return entropy_bits(p.flatten()) - entropy_bits(p.sum(0))


def mutual_information(joint):
    p = joint / joint.sum()
    p_x, p_y = p.sum(1), p.sum(0)
    return entropy_bits(p_x) - (entropy_bits(p.flatten()) - entropy_bits(p_y))


def processing_chain(joint, channel):
    p = joint / joint.sum()
    return mutual_information(p), mutual_information(p @ (channel / channel.sum(1, keepdim=True)))
