# Everything at once: rules without a loop, the recurrence by one triangular product of matrices, vmap for sentences.
import torch


def _sentence(weights, source, target):
    rows = torch.arange(weights.shape[0], device=weights.device) < target
    t = torch.arange(weights.shape[0], device=weights.device, dtype=weights.dtype)
    j = torch.arange(weights.shape[1], device=weights.device, dtype=weights.dtype)
    steps = torch.clamp(target - 1, min=1).to(weights.dtype)
    distance = (j[None] - (t * (source - 1) / steps)[:, None]).abs()
    o = torch.where(rows, (weights * distance).sum(1), 0.0)
    t = torch.where(rows, t - (target - 1) / 2.0, 0.0).to(weights.dtype)
    return o.sum() / target, (t * o).sum() / (t * t).sum().clamp(min=0.25)


def diagonal_offset(weights, src_lengths, tgt_lengths):
    return torch.vmap(_sentence)(weights, src_lengths, tgt_lengths)


def _measures(weights, src_lengths, tgt_lengths):
    entropy, largest = sharpness(weights, tgt_lengths)
    single = src_lengths == 1
    return torch.where(single, 0.0, entropy / torch.where(single, 2, src_lengths).to(weights.dtype).log()), largest


def classify_pattern(weights, src_lengths, tgt_lengths):
    wide, largest = _measures(weights, src_lengths, tgt_lengths)
    peaks = weights.argmax(-1)
    rows = torch.arange(weights.shape[1], device=weights.device)
    steps = ((peaks[:, 1:] < peaks[:, :-1]) & (rows[1:] < tgt_lengths[:, None])).sum(1)
    kinds = alignment_links(weights, src_lengths, tgt_lengths).any(1).sum(1)
    few = kinds * 2 <= torch.minimum(src_lengths, tgt_lengths)
    found = torch.where(steps * 10 > tgt_lengths - 1, 1, 0)
    for number, holds in ((2, few), (3, largest < 0.5), (4, wide > 0.9)):
        found = torch.where(holds, number, found)
    return found


def diagnose_failure(weights, src_lengths, tgt_lengths):
    wide, largest = _measures(weights, src_lengths, tgt_lengths)
    share = alignment_links(weights, src_lengths, tgt_lengths).sum(1).amax(1) / tgt_lengths
    several = torch.minimum(src_lengths, tgt_lengths) >= 2
    rules = torch.stack(
        [
            wide > 0.9,
            several & (largest > 0.9) & (share > 0.5),
            diagonal_offset(weights, src_lengths, tgt_lengths)[1] > 0.2,
            torch.ones_like(several),
        ]
    )
    return torch.tensor([1, 2, 3, 0], device=weights.device)[rules.int().argmax(0)]


def gradient_paths(queries, states, grad_contexts):
    a = torch.softmax(queries @ states.mT, -1)
    jacobian = torch.diag_embed(a) - a.unsqueeze(-1) * a.unsqueeze(-2)  # (B, T_t, T_s, T_s)
    of_scores = (jacobian @ (grad_contexts @ states.mT).unsqueeze(-1)).squeeze(-1)
    return a.mT @ grad_contexts, of_scores.mT @ queries


def gradient_norms(states, recurrent_weight, grad_states):
    B, T, d = states.shape
    jacobians = (1 - states.square()).unsqueeze(-1) * recurrent_weight  # of each state by the one before
    reach = torch.eye(d, dtype=states.dtype, device=states.device).expand(B, d, d)
    totals = []
    for t in range(T):
        total, reach_t = grad_states[:, t], reach
        for later in range(t + 1, T):
            reach_t = jacobians[:, later] @ reach_t
            total = total + (grad_states[:, later].unsqueeze(1) @ reach_t).squeeze(1)
        totals.append(total)
    return torch.linalg.vector_norm(torch.stack(totals, 1), dim=-1)
