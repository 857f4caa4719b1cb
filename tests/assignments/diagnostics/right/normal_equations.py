# The drift as a solution of the normal equations, which leave rounding where it is 0.
import torch


def diagonal_offset(weights, src_lengths, tgt_lengths):
    mean, drift = [], []
    for table, S, T in zip(weights, src_lengths.tolist(), tgt_lengths.tolist()):
        t = torch.arange(T, dtype=table.dtype, device=table.device)
        j = torch.arange(S, dtype=table.dtype, device=table.device)
        o = (table[:T, :S] * (j - t[:, None] * (S - 1) / max(T - 1, 1)).abs()).sum(1)
        A = torch.stack([t, torch.ones_like(t)], dim=1)
        mean.append(o.mean())
        drift.append(torch.linalg.solve(A.T @ A, A.T @ o)[0] if T > 1 else 0 * o[0])
    return torch.stack(mean), torch.stack(drift)
