# One product for each offset of the window, with rolled keys.
import torch


def shifted(x, by):
    return torch.roll(x, -by, dims=1)


def window_attention(query, key, value, radius):
    if radius < 0:
        raise ValueError("radius")
    T = query.size(1)
    offsets = range(-min(radius, T - 1), min(radius, T - 1) + 1)
    place = torch.arange(T, device=query.device)
    columns = []
    for by in offsets:
        score = (query * shifted(key, by)).sum(dim=-1) / query.size(-1) ** 0.5
        columns.append(score.masked_fill((place + by < 0) | (place + by >= T), -torch.inf))
    weights = torch.stack(columns, dim=-1).softmax(dim=-1)
    return sum(weights[..., n, None] * shifted(value, by) for n, by in enumerate(offsets))
