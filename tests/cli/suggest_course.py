"""A small course of whose checks nothing is written: functions and a class with known properties."""

from __future__ import annotations

from pathlib import Path

SOLUTION = '''# %% [markdown]
# # Sums

# %%
import torch
from torch import nn


# %%
def attend(query, key):
    """Average the keys by their likeness to each query.

    Args:
        query: (B, T_q, d).
        key: (B, T_k, d).

    Returns:
        (B, T_q, d).
    """
    ### BEGIN SOLUTION: return the averages
    weights = torch.softmax(query @ key.transpose(1, 2), dim=-1)
    return weights @ key
    ### END SOLUTION


# %%
def running_mean(x):
    """Average each position with all before it: (B, T, d) -> (B, T, d)."""
    ### BEGIN SOLUTION: return the averages
    count = torch.arange(1, x.shape[1] + 1, dtype=x.dtype, device=x.device)
    return x.cumsum(dim=1) / count.unsqueeze(1)
    ### END SOLUTION


# %%
def half(x):
    """Halve all numbers: (B, T) -> (B, T)."""
    ### BEGIN SOLUTION: return the halves
    return (x / 2).float()
    ### END SOLUTION


# %%
def shout(x, times):
    """Multiply by 11 or by 13: (B, T) -> (B, T)."""
    ### BEGIN SOLUTION: return the products
    return x * times
    ### END SOLUTION


# %%
class Mix(nn.Module):
    """Mix the columns of each head: ``W`` is a linear layer without bias."""

    def __init__(self, width, heads):
        """Make ``W``. Raises ValueError if ``heads`` does not divide ``width``."""
        super().__init__()
        ### BEGIN SOLUTION: make W, or raise ValueError
        if width % heads != 0:
            raise ValueError(f"{heads} heads cannot share {width} columns")
        self.heads = heads
        self.W = nn.Linear(width // heads, width // heads, bias=False)
        ### END SOLUTION

    def forward(self, x):
        """(B, T, width) -> (B, T, width)."""
        ### BEGIN SOLUTION: return the mixed columns
        return self.W(x.unflatten(-1, (self.heads, -1))).flatten(-2)
        ### END SOLUTION
'''

REFERENCE = '''"""The reference."""

import torch
from torch import Tensor, nn


def attend(query: Tensor, key: Tensor) -> Tensor:
    scores = torch.einsum("bqd,bkd->bqk", query, key)
    return torch.einsum("bqk,bkd->bqd", scores.softmax(-1), key)


def running_mean(x: Tensor) -> Tensor:
    return torch.stack([x[:, : at + 1].mean(1) for at in range(x.shape[1])], 1)


def half(x: Tensor) -> Tensor:
    return x * 0.5


def shout(x: Tensor, times: int) -> Tensor:
    if times not in (11, 13):
        raise RuntimeError("only 11 and 13")
    return x * times


class Mix(nn.Module):
    def __init__(self, width: int, heads: int) -> None:
        super().__init__()
        if width % heads:
            raise ValueError("heads does not divide width")
        self.heads = heads
        self.W = nn.Linear(width // heads, width // heads, bias=False)

    def forward(self, x: Tensor) -> Tensor:
        return torch.cat([self.W(one) for one in x.chunk(self.heads, -1)], -1)
'''

HANDOUT = "# Sums\n\n## attend\n\n## running_mean\n\n## half\n\n## shout\n\n## Mix\n"
NAME = "sums"


def made(course: Path) -> Path:
    """Make the assignment with the checks of a new one, and return its folder."""
    from autograder.instructor.authoring import first

    folder = course / NAME
    folder.mkdir(parents=True)
    fresh = first.files(NAME)
    own = {"solution.py": SOLUTION, "reference.py": REFERENCE, "handout.md": HANDOUT, "mistakes.py": "MISTAKES = ()\n"}
    for path in ("checks.py", "hidden_checks.py"):
        own[path] = fresh[path]
    for path, text in own.items():
        (folder / path).write_text(text)
    return folder
