# Attention read like a spectrum: means, moments, distances. (physics background)
import torch

PATTERNS = ("diagonal", "reordered", "many-to-one", "one-to-many", "diffuse")
FAILURES = ("none", "uniform", "over-concentrated", "drift")


def xlogx(p):
    return torch.where(p > 0, p * torch.log(torch.where(p > 0, p, torch.ones_like(p))), torch.zeros_like(p))


def row_entropy(weights):
    return -xlogx(weights).sum(-1)


def temperature_curve(scores, temperatures):
    beta = 1.0 / temperatures  # inverse temperature
    energy = torch.einsum("k,bts->kbts", beta, scores)
    weights = torch.softmax(energy, dim=-1)
    return weights, row_entropy(weights).mean(dim=(1, 2))


def theta(lengths, n):
    """Step function."""
    return torch.arange(n, device=lengths.device).lt(lengths[:, None])


def expectation(values, tgt_lengths):
    step = theta(tgt_lengths, values.shape[1])
    return torch.where(step, values, torch.zeros_like(values)).sum(1) / tgt_lengths


def sharpness(weights, tgt_lengths):
    S = expectation(row_entropy(weights), tgt_lengths)
    M = expectation(weights.max(dim=-1).values, tgt_lengths)
    return S, M


def coverage(weights, src_lengths, tgt_lengths):
    step = theta(tgt_lengths, weights.shape[1])[..., None] * theta(src_lengths, weights.shape[2])[:, None]
    received = torch.where(step, weights, torch.zeros_like(weights)).sum(dim=1)
    entropy = row_entropy(received / tgt_lengths[:, None])
    one = src_lengths == 1
    norm = torch.log(torch.where(one, 2, src_lengths).to(weights.dtype))
    return received, torch.where(one, torch.ones_like(entropy), entropy / norm)


def diagonal_offset(weights, src_lengths, tgt_lengths):
    B, Tt, Ts = weights.shape
    t = torch.arange(Tt, dtype=weights.dtype, device=weights.device).expand(B, Tt)
    j = torch.arange(Ts, dtype=weights.dtype, device=weights.device)
    many = tgt_lengths > 1
    n = torch.where(many, tgt_lengths - 1, 1).to(weights.dtype)[:, None]
    d = torch.where(many[:, None], t * (src_lengths[:, None] - 1) / n, torch.zeros_like(t))
    # first moment of each row
    position = (weights * j).sum(-1)
    o = (position - d).abs()
    offset = expectation(o, tgt_lengths)
    step = theta(tgt_lengths, Tt)
    dt = torch.where(step, t - expectation(t, tgt_lengths)[:, None], torch.zeros_like(t))
    var = (dt**2).sum(1)
    drift = (dt * o).sum(1) / torch.where(many, var, torch.ones_like(var))
    return offset, torch.where(many, drift, torch.zeros_like(drift))


def alignment_links(weights, src_lengths, tgt_lengths):
    w = weights.masked_fill(~theta(src_lengths, weights.shape[2])[:, None], -1.0)
    links = torch.zeros_like(weights, dtype=torch.bool)
    links.scatter_(2, w.argmax(-1, keepdim=True), theta(tgt_lengths, weights.shape[1])[..., None])
    return links


def alignment_error_rate(links, sure, possible):
    N = lambda a: float(a.sum())
    norm = N(links) + N(sure)
    if norm == 0:
        return 0.0
    return 1.0 - (N(links & sure) + N(links & (possible | sure))) / norm


def classify_pattern(weights, src_lengths, tgt_lengths):
    H, M = sharpness(weights, tgt_lengths)
    out = []
    for b in range(weights.shape[0]):
        S, T = int(src_lengths[b]), int(tgt_lengths[b])
        peak = weights[b, :T, :S].argmax(1)
        spread = float(H[b] / torch.log(torch.tensor(float(S)))) if S > 1 else 0.0
        velocity = peak.diff()
        if spread > 0.9:
            out.append(4)
        elif M[b] < 0.5:
            out.append(3)
        elif 2 * peak.unique().numel() <= min(S, T):
            out.append(2)
        elif 10 * int((velocity < 0).sum()) > T - 1:
            out.append(1)
        else:
            out.append(0)
    return torch.tensor(out, dtype=torch.long, device=weights.device)


def fitted_slope(o):
    """Least squares, used for the rule about drift."""
    T = len(o)
    if T < 2:
        return 0.0
    t = torch.arange(T, dtype=o.dtype, device=o.device)
    return float(((t - t.mean()) * o).sum() / ((t - t.mean()) ** 2).sum())


def diagnose_failure(weights, src_lengths, tgt_lengths):
    H, M = sharpness(weights, tgt_lengths)
    out = []
    for b in range(weights.shape[0]):
        S, T = int(src_lengths[b]), int(tgt_lengths[b])
        w = weights[b, :T, :S]
        d = torch.linspace(0, S - 1, T).to(w) if T > 1 else w.new_zeros(1)
        o = (w * (torch.arange(S).to(w) - d[:, None]).abs()).sum(1)
        spread = float(H[b] / torch.log(torch.tensor(float(S)))) if S > 1 else 0.0
        peaks = w.argmax(1).bincount(minlength=S)
        if spread > 0.9:
            out.append(1)
        elif T > 1 and S > 1 and M[b] > 0.9 and 2 * int(peaks.max()) > T:
            out.append(2)
        elif fitted_slope(o) > 0.2:
            out.append(3)
        else:
            out.append(0)
    return torch.tensor(out, dtype=torch.long, device=weights.device)


def attention_geometry(x, temperature=1.0):
    W = torch.softmax(torch.einsum("bid,bjd->bij", x, x) / temperature, dim=-1)
    y = torch.einsum("bij,bjd->bid", W, x)

    def angle(z):
        r = z.norm(dim=-1)
        rr = r[:, :, None] * r[:, None, :]
        return torch.einsum("bid,bjd->bij", z, z) / torch.where(rr > 0, rr, torch.ones_like(rr))

    before, after = angle(x), angle(y)
    W = W - torch.diag_embed(torch.diagonal(W, dim1=1, dim2=2))
    norm = W.sum(dim=(1, 2))
    gain = (W * (after - before)).sum(dim=(1, 2)) / torch.where(norm > 0, norm, torch.ones_like(norm))
    return before, after, gain


def gradient_paths(queries, states, grad_contexts):
    a = torch.softmax(torch.einsum("btd,bjd->btj", queries, states), dim=-1)
    direct = torch.einsum("btj,btd->bjd", a, grad_contexts)
    force = torch.einsum("btd,bjd->btj", grad_contexts, states)
    indirect = torch.einsum("btj,btd->bjd", a * force, queries)
    return direct, indirect


def gradient_norms(states, recurrent_weight, grad_states):
    total = grad_states[:, -1]
    back = [total]
    for k in range(2, states.shape[1] + 1):
        total = grad_states[:, -k] + ((1 - states[:, -k + 1] ** 2) * total) @ recurrent_weight
        back.append(total)
    return torch.stack(back[::-1], dim=1).norm(dim=-1)


def output(w, states, out_weight, out_bias):
    return torch.softmax((w[..., None] * states).sum(-2) @ out_weight.T + out_bias, dim=-1)


def permutation_test(weights, states, out_weight, out_bias, permutations):
    shuffled = weights[:, permutations].permute(1, 0, 2)
    p, q = output(weights, states, out_weight, out_bias), output(shuffled, states, out_weight, out_bias)
    d = (p - q).abs().sum(-1) / 2
    return d, d.median(dim=0).values


def ablation_effects(weights, states, out_weight, out_bias):
    T = weights.shape[1]
    kept = weights[:, None] * (1 - torch.eye(T).to(weights))
    total = kept.sum(-1, keepdim=True)
    kept = kept / torch.where(total > 0, total, torch.ones_like(total))
    p = output(weights, states, out_weight, out_bias)[:, None]
    q = output(kept, states[:, None], out_weight, out_bias)
    return (p - q).abs().sum(-1) / 2


def rank_agreement(first, second):
    spin = lambda x: torch.sign(x[:, :, None] - x[:, None])
    T = first.shape[1]
    return (spin(first) * spin(second)).sum(dim=(1, 2)).to(first.dtype) / max(T * (T - 1), 1)
