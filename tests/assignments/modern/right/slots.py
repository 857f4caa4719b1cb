# Sparse attention with an index of all that each position sees, padded with -1.
import torch


def sparse_attention(query, key, value, radius, stride):
    if radius < 0:
        raise ValueError("radius")
    if stride < 1:
        raise ValueError("stride")
    B, T, d = query.shape
    radius = min(radius, T - 1)
    i = torch.arange(T, device=query.device)
    window = i[:, None] + torch.arange(-radius, radius + 1, device=query.device)
    window = torch.where((window >= 0) & (window < T), window, -1)
    strided = i[::stride].expand(T, -1)
    strided = torch.where((strided - i[:, None]).abs() > radius, strided, -1)
    slots = torch.cat([window, strided], dim=1)  # (T, S)
    q = query[:, :, None] * d**-0.5
    scores = (q * key[:, slots.clamp(min=0)]).sum(-1)
    scores = torch.where(slots >= 0, scores, scores.new_tensor(float("-inf")))
    weights = (scores - scores.amax(-1, keepdim=True)).exp()
    weights = weights / weights.sum(-1, keepdim=True)
    return (weights[..., None] * value[:, slots.clamp(min=0)]).sum(2)
