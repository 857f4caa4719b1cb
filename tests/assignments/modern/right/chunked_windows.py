# Windows in chunks of radius positions: each chunk sees itself and both neighbours.
import torch
from torch.nn import functional as F


def neighbourhoods(x, size):
    """(B, C * size, d) -> (B, C, 3 * size, d)."""
    chunks = F.pad(x, (0, 0, size, size)).unfold(1, 3 * size, size)
    return chunks.transpose(2, 3)


def window_attention(query, key, value, radius):
    if radius < 0:
        raise ValueError("radius < 0")
    B, T, d_k = query.shape
    size = max(1, min(radius, T))
    count = -(-T // size)
    more = count * size - T
    q = F.pad(query, (0, 0, 0, more)).reshape(B, count, size, d_k)
    k = neighbourhoods(F.pad(key, (0, 0, 0, more)), size)
    v = neighbourhoods(F.pad(value, (0, 0, 0, more)), size)
    i = torch.arange(count * size, device=query.device).view(count, size, 1)
    j = (torch.arange(count, device=query.device) * size).view(count, 1, 1) + torch.arange(-size, 2 * size, device=query.device)
    seen = ((i - j).abs() <= radius) & (j >= 0) & (j < T)
    seen = seen | ((i >= T) & (j == j))  # rows that are cut off in the end
    scores = (q @ k.transpose(2, 3)) / d_k**0.5
    weights = torch.softmax(scores.masked_fill(~seen, -torch.inf), dim=-1)
    return (weights @ v).reshape(B, count * size, -1)[:, :T]
