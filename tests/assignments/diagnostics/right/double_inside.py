# Computes in double precision inside, and returns the dtype of the inputs.
# from einsum: _ones, diagonal_offset
import torch


def row_entropy(weights):
    wide = weights.double()
    return torch.where(wide > 0, -wide * torch.where(wide > 0, wide, 1.0).log(), 0.0).sum(-1).to(weights.dtype)


def temperature_curve(scores, temperatures):
    wide = torch.softmax(scores.double()[None] / temperatures.double()[:, None, None, None], -1)
    return wide.to(scores.dtype), row_entropy(wide).mean((1, 2)).to(scores.dtype)


def gradient_paths(queries, states, grad_contexts):
    q, h, g = queries.double(), states.double(), grad_contexts.double()
    a = torch.softmax(q @ h.mT, -1)
    scores = a * (g @ h.mT - torch.sum(g * (a @ h), -1, keepdim=True))
    return (a.mT @ g).to(states.dtype), (scores.mT @ q).to(states.dtype)


def permutation_test(weights, states, out_weight, out_bias, permutations):
    w, h, W, b = (x.double() for x in (weights, states, out_weight, out_bias))

    def answer(w):
        return torch.softmax(torch.matmul(w.unsqueeze(-2), h).squeeze(-2) @ W.T + b, -1)

    moved = torch.stack([w.index_select(1, order) for order in permutations])
    distances = torch.sum(torch.abs(answer(moved) - answer(w)), -1).div(2).to(weights.dtype)
    return distances, torch.quantile(distances, 0.5, dim=0)
