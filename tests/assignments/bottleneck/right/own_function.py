# An entropy with a backward pass by hand, and singular values from J J^T.
import math

import torch


class Plogp(torch.autograd.Function):
    @staticmethod
    def forward(ctx, p):
        ctx.save_for_backward(p)
        return torch.where(p > 0, p * p.clamp_min(1e-38).log2(), torch.zeros_like(p))

    @staticmethod
    def backward(ctx, grad):
        (p,) = ctx.saved_tensors
        return grad * torch.where(p > 0, p.clamp_min(1e-38).log2() + 1 / math.log(2), torch.zeros_like(p))


def entropy_bits(probabilities):
    return Plogp.apply(probabilities).sum(-1).neg()


def mutual_information(joint):
    return Plogp.apply(joint).sum() - Plogp.apply(joint.sum(0)).sum() - Plogp.apply(joint.sum(1)).sum()


def decay_along(states, recurrent_weight):
    norms, J = [], None
    for t in reversed(range(states.size(0))):
        if J is None:
            J = torch.eye(states.size(1), dtype=states.dtype, device=states.device)
            norms.append(torch.ones((), dtype=states.dtype, device=states.device))
        else:
            J = J @ torch.diag(1 - states[t + 1].square()) @ recurrent_weight
            norms.append(torch.linalg.eigvalsh(J @ J.T)[-1].sqrt())
    norms.reverse()
    return torch.stack(norms)
