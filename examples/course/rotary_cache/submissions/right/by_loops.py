# %% [markdown]
# # Rotary positions with a cache

# %%
import torch
from torch import nn


# %%
def rotate(x, positions, base=10000.0):
    """x cos + J x sin, where J x is (-x1, x0, -x3, x2, ...)."""
    width = x.shape[2]
    if width % 2 == 1:
        raise ValueError("odd")
    speeds = torch.tensor([base ** (-2 * (column // 2) / width) for column in range(width)], dtype=x.dtype)
    angles = torch.outer(positions.to(dtype=x.dtype), speeds.to(x.device))
    crossed = torch.stack([x[:, :, column + 1 - 2 * (column % 2)] for column in range(width)], dim=2)
    signs = torch.tensor([-1.0, 1.0] * (width // 2), dtype=x.dtype, device=x.device)
    return x * torch.cos(angles) + crossed * signs * torch.sin(angles)


# %%
def attend(query, key, value):
    """One query after the other."""
    early = key.shape[1] - query.shape[1]
    if early < 0:
        raise ValueError("too many queries")
    outputs = []
    for number in range(query.shape[1]):
        visible = slice(0, early + number + 1)
        scores = key[:, visible] @ query[:, number, :, None] / query.shape[2] ** 0.5
        outputs.append((torch.softmax(scores, dim=1) * value[:, visible]).sum(dim=1))
    return torch.stack(outputs, dim=1)


# %%
class CachedAttention(nn.Module):
    """extend reads one word after the other, forward too."""

    def __init__(self, width, head_width):
        super().__init__()
        self.W_Q = nn.Linear(width, head_width, bias=False)
        self.W_K = nn.Linear(width, head_width, bias=False)
        self.W_V = nn.Linear(width, head_width, bias=False)

    def forward(self, x):
        keys = values = self.W_V(x[:, :0])
        return self.extend(x, keys, values)[0]

    def extend(self, x, keys, values):
        outputs = []
        for word in x.split(1, dim=1):
            position = torch.full((1,), keys.shape[1], device=x.device)
            keys = torch.cat((keys, rotate(self.W_K(word), position)), dim=1)
            values = torch.cat((values, self.W_V(word)), dim=1)
            outputs.append(attend(rotate(self.W_Q(word), position), keys, values))
        return torch.cat(outputs, dim=1), keys, values
