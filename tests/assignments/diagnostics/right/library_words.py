# Ready-made functions wherever PyTorch has them: lstsq, cov, bincount, unique, corner cases aside.
import torch
from torch.nn import functional as F


def row_entropy(weights):
    return torch.special.entr(weights.clamp_min(1e-30)).sum(-1)


def diagonal_offset(weights, src_lengths, tgt_lengths):
    offsets, drifts = [], []
    for w, S, T in zip(weights, src_lengths, tgt_lengths):
        w = w[:T, :S]
        line = torch.linspace(0, 1, int(T), dtype=w.dtype, device=w.device) * (S - 1)
        o = (w * torch.cdist(line[:, None], torch.arange(int(S), dtype=w.dtype, device=w.device)[:, None])).sum(1)
        offsets.append(o.mean())
        t = torch.arange(int(T), dtype=w.dtype, device=w.device)
        if T == 1:
            drifts.append(o.sum() * 0)
        else:
            covariance = torch.cov(torch.stack([t, o]))
            drifts.append(covariance[0, 1] / covariance[0, 0])
    return torch.stack(offsets), torch.stack(drifts)


def alignment_links(weights, src_lengths, tgt_lengths):
    links = F.one_hot(weights.argmax(-1), weights.size(-1)).bool()
    ends = torch.arange(weights.size(1), device=weights.device).view(1, -1, 1)
    return links.logical_and(ends.lt(tgt_lengths.view(-1, 1, 1)))


def alignment_error_rate(links, sure, possible):
    allowed = torch.logical_or(possible, sure)
    found = torch.count_nonzero(links & sure) + torch.count_nonzero(links & allowed)
    size = torch.count_nonzero(links) + torch.count_nonzero(sure)
    return float(1 - found.double() / size) if size else 0.0


def classify_pattern(weights, src_lengths, tgt_lengths):
    entropy, largest = sharpness(weights, tgt_lengths)
    wide = torch.where(src_lengths > 1, entropy / src_lengths.clamp(min=2).to(entropy.dtype).log(), 0)
    found = torch.zeros_like(src_lengths)
    for b in range(len(weights)):
        T = int(tgt_lengths[b])
        peaks = weights[b, :T].argmax(-1)
        if wide[b] > 0.9:
            found[b] = 4
        elif largest[b] < 0.5:
            found[b] = 3
        elif torch.unique(peaks).numel() <= min(T, int(src_lengths[b])) / 2:
            found[b] = 2
        elif T > 1 and (torch.diff(peaks) < 0).double().mean() > 0.1:
            found[b] = 1
    return found


def diagnose_failure(weights, src_lengths, tgt_lengths):
    entropy, largest = sharpness(weights, tgt_lengths)
    wide = torch.where(src_lengths > 1, entropy / src_lengths.clamp(min=2).to(entropy.dtype).log(), 0)
    drift = diagonal_offset(weights, src_lengths, tgt_lengths)[1]
    found = torch.zeros_like(src_lengths)
    for b in range(len(weights)):
        T, S = int(tgt_lengths[b]), int(src_lengths[b])
        most = int(torch.bincount(weights[b, :T].argmax(-1)).max())
        sharp = T > 1 and S > 1 and bool(largest[b] > 0.9) and 2 * most > T
        found[b] = 1 if wide[b] > 0.9 else 2 if sharp else 3 if drift[b] > 0.2 else 0
    return found


def attention_geometry(x, temperature=1.0):
    weights = F.softmax(torch.baddbmm(x.new_zeros(1, 1, 1), x, x.mT, beta=0, alpha=1 / temperature), -1)
    y = weights @ x
    before = F.cosine_similarity(x[:, :, None], x[:, None], dim=-1)
    after = F.cosine_similarity(y[:, :, None], y[:, None], dim=-1)
    others = weights - torch.diag_embed(torch.diagonal(weights, dim1=1, dim2=2))
    gain = torch.sum(others * (after - before), (1, 2)) / torch.sum(others, (1, 2)).clamp_min(1e-30)
    return before, after, gain


def gradient_norms(states, recurrent_weight, grad_states):
    totals = list(grad_states.unbind(1))
    for t in reversed(range(len(totals) - 1)):
        totals[t] = totals[t] + F.linear(totals[t + 1] * (1 - states[:, t + 1].pow(2)), recurrent_weight.t())
    return torch.linalg.norm(torch.stack(totals, dim=1), dim=-1)


def permutation_test(weights, states, out_weight, out_bias, permutations):
    N, B = len(permutations), len(weights)
    moved = weights.expand(N, -1, -1).gather(2, permutations[:, None].expand(-1, B, -1))

    def answer(w):
        return F.linear(torch.matmul(w.unsqueeze(-2), states).squeeze(-2), out_weight, out_bias).softmax(-1)

    distances = F.l1_loss(answer(moved), answer(weights).expand(N, -1, -1), reduction="none").sum(-1) / 2
    return distances, distances.kthvalue((N + 1) // 2, dim=0).values


def rank_agreement(first, second):
    count = first.size(1)
    i, j = torch.triu_indices(count, count, 1, device=first.device)
    if not len(i):
        return first.new_zeros(len(first))
    signs = torch.sign(first[:, i] - first[:, j]) * torch.sign(second[:, i] - second[:, j])
    return signs.to(first.dtype).mean(1)
