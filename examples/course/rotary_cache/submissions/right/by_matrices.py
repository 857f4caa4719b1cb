# %% [markdown]
# # Rotary positions with a cache

# %%
import torch
from torch import nn


def rotate(x, positions, base=10000.0):
    """A rotation matrix for each position, then einsum."""
    width = x.size(-1)
    if width % 2:
        raise ValueError("the width must be even")
    matrices = torch.zeros(x.size(1), width, width, dtype=x.dtype, device=x.device)
    for pair in range(width // 2):
        angle = positions * base ** (-2 * pair / width)
        angle = angle.to(x.dtype)
        first, second = 2 * pair, 2 * pair + 1
        matrices[:, first, first] = torch.cos(angle)
        matrices[:, first, second] = -torch.sin(angle)
        matrices[:, second, first] = torch.sin(angle)
        matrices[:, second, second] = torch.cos(angle)
    return torch.einsum("tij,btj->bti", matrices, x)


def attend(query, key, value):
    """Positions are compared, and the softmax is written out."""
    if query.size(1) > key.size(1):
        raise ValueError("more queries than keys")
    keys_at = torch.arange(key.size(1), device=key.device)
    queries_at = keys_at[key.size(1) - query.size(1) :]
    scores = torch.einsum("bqd,bkd->bqk", query, key) * query.size(-1) ** -0.5
    scores = torch.where(keys_at[None, :] <= queries_at[:, None], scores, float("-inf"))
    powers = torch.exp(scores - scores.max(dim=-1, keepdim=True).values)
    return torch.einsum("bqk,bkd->bqd", powers / powers.sum(dim=-1, keepdim=True), value)


class CachedAttention(nn.Module):
    """forward is extend from an empty cache."""

    def __init__(self, width, head_width):
        super().__init__()
        self.W_Q, self.W_K, self.W_V = (nn.Linear(width, head_width, bias=False) for _ in range(3))

    def forward(self, x):
        empty = self.W_K(x)[:, :0]
        return self.extend(x, empty, empty)[0]

    def extend(self, x, keys, values):
        start = keys.size(1)
        positions = torch.arange(x.size(1), device=x.device) + start
        queries, new = rotate(torch.cat([self.W_Q(x), self.W_K(x)]), positions).chunk(2)
        keys = torch.cat([keys, new], dim=1)
        values = torch.cat([values, self.W_V(x)], dim=1)
        return attend(queries, keys, values), keys, values
