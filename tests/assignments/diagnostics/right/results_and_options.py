# Lists and named tuples as results, further optional arguments, prints, other words for the same lengths.
from collections import namedtuple

import torch

Sharpness = namedtuple("Sharpness", "entropy maximum")


def row_entropy(weights, base=None, verbose=False):
    if verbose:
        print("entropy of", tuple(weights.shape))
    logs = weights.masked_fill(weights.eq(0), 1).log()
    entropy = weights.mul(logs).sum(-1).neg()
    return entropy if base is None else entropy / torch.tensor(base).log()


def temperature_curve(scores, temperatures):
    top = scores.amax(-1, keepdim=True).detach()
    shifted = (scores - top).unsqueeze(0) / temperatures[:, None, None, None]
    powers = shifted.exp()
    weights = powers / powers.sum(-1, keepdim=True)
    print("temperatures", temperatures.tolist())
    return [weights, row_entropy(weights).reshape(len(temperatures), -1).mean(1)]


def sharpness(weights, tgt_lengths):
    ends = torch.arange(1, weights.size(1) + 1, device=weights.device)
    padding = ends > tgt_lengths.unsqueeze(1)
    entropy = row_entropy(weights).masked_fill(padding, 0).sum(1).div(tgt_lengths)
    maximum = weights.masked_fill(padding.unsqueeze(-1), 0).max(dim=2).values.sum(1).div(tgt_lengths)
    return Sharpness(entropy, maximum)


def coverage(weights, src_lengths, tgt_lengths, normalise=False):
    running = weights.cumsum(1)
    last = (tgt_lengths - 1).view(-1, 1, 1).expand(-1, 1, weights.size(2))
    received = running.gather(1, last).squeeze(1)
    columns = torch.arange(weights.size(2), device=weights.device)
    received = received * (columns < src_lengths.unsqueeze(1))
    share = received / tgt_lengths.unsqueeze(1)
    entropy = row_entropy(share)
    logs = src_lengths.to(weights.dtype).log()
    uniformity = torch.ones_like(entropy).where(src_lengths == 1, entropy / logs.masked_fill(src_lengths == 1, 1))
    return [share if normalise else received, uniformity]


def gradient_paths(queries, states, grad_contexts):
    scores = (queries.unsqueeze(2) * states.unsqueeze(1)).sum(-1)
    scores = scores - scores.amax(-1, keepdim=True)
    weights = scores.exp() / scores.exp().sum(-1, keepdim=True)
    contexts = (weights.unsqueeze(-1) * states.unsqueeze(1)).sum(2)
    direct = (weights.unsqueeze(-1) * grad_contexts.unsqueeze(2)).sum(1)
    along = ((states.unsqueeze(1) - contexts.unsqueeze(2)) * grad_contexts.unsqueeze(2)).sum(-1)
    return [direct, ((weights * along).unsqueeze(-1) * queries.unsqueeze(2)).sum(1)]


def ablation_effects(weights, states, out_weight, out_bias, rescale=True):
    others = weights.sum(1, keepdim=True) - weights
    full = torch.diag_embed(weights)
    kept = weights.unsqueeze(1) - full
    kept = kept / others.masked_fill(others.abs() < 1e-12, 1).unsqueeze(-1)

    def answer(w):
        return torch.softmax(w @ states @ out_weight.mT + out_bias, -1)

    return (answer(kept) - answer(weights.unsqueeze(1))).abs().sum(-1).mul(0.5)


def rank_agreement(first, second):
    signs = [(x[:, :, None] - x[:, None, :]).sign().tril(-1).flatten(1) for x in (first, second)]
    count = first.size(1)
    if count < 2:
        return torch.zeros(len(first), dtype=first.dtype, device=first.device)
    return (signs[0] * signs[1].to(first.dtype)).sum(1) * (2 / (count * (count - 1)))
