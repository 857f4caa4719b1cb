# Guards of 1e-9 in place of conditions, and clamped denominators.
import torch

EPS = 1e-9


def row_entropy(weights):
    return -(weights * (weights + EPS).log()).sum(-1)


def sharpness(weights, tgt_lengths):
    real = torch.arange(weights.size(1), device=weights.device) < tgt_lengths[:, None]
    rows = torch.where(real[..., None], weights, 0.0)
    entropy = -(rows * rows.clamp_min(1e-12).log()).sum(-1)
    return entropy.sum(1) / tgt_lengths, rows.max(-1)[0].sum(1) / tgt_lengths


def coverage(weights, src_lengths, tgt_lengths):
    real = torch.arange(weights.size(1), device=weights.device) < tgt_lengths[:, None]
    received = (weights * real[..., None]).sum(1)
    share = received / tgt_lengths[:, None]
    entropy = -(share * (share + 1e-8).log()).sum(-1)
    largest = src_lengths.to(weights.dtype).log().clamp_min(EPS)
    return received, torch.where(src_lengths == 1, torch.ones_like(entropy), entropy / largest)


def attention_geometry(x, temperature=1.0):
    W = torch.softmax(torch.bmm(x, x.transpose(1, 2)) / temperature, dim=2)
    y = torch.bmm(W, x)

    def cosines(rows):
        lengths = (rows.square().sum(-1, keepdim=True) + 1e-24).sqrt()
        unit = rows / lengths
        return torch.bmm(unit, unit.transpose(1, 2))

    before, after = cosines(x), cosines(y)
    pairs = W * ~torch.eye(x.size(1), dtype=torch.bool, device=x.device)
    return before, after, (pairs * (after - before)).sum((1, 2)) / pairs.sum((1, 2)).clamp_min(1e-12)


def gradient_norms(states, recurrent_weight, grad_states):
    total = torch.zeros_like(grad_states[:, 0])
    found = []
    for t in range(states.size(1) - 1, -1, -1):
        if t + 1 < states.size(1):
            total = ((1 - states[:, t + 1] ** 2) * total) @ recurrent_weight
        total = grad_states[:, t] + total
        square = total.pow(2).sum(-1)
        found.append(torch.where(square > 0, square.clamp_min(1e-30).sqrt(), torch.zeros_like(square)))
    return torch.stack(found[::-1], 1)


def ablation_effects(weights, states, out_weight, out_bias):
    p = ((weights[..., None] * states).sum(1) @ out_weight.T + out_bias).softmax(-1)
    found = []
    for j in range(weights.size(1)):
        here = torch.arange(weights.size(1), device=weights.device) == j
        kept = weights.masked_fill(here, 0.0)
        kept = kept / kept.sum(-1, keepdim=True).clamp_min(1e-12)
        q = ((kept[..., None] * states).sum(1) @ out_weight.T + out_bias).softmax(-1)
        found.append((p - q).abs().sum(-1) / 2)
    return torch.stack(found, 1)
