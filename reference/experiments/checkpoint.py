# mypy: disable-error-code="no-untyped-call"
"""Trains the small translator whose weights the assignment ships: ``python -m reference.experiments.checkpoint``.

It learns to copy. The attention of torch does the work here, so its weights are in torch's fused form.
"""

from __future__ import annotations

from pathlib import Path

import numpy as np
import torch
import torch.nn.functional as F
from torch import Tensor, nn

from reference.experiments.functions import copy_task
from reference.experiments.given import sinusoids

SEED, WORDS, WIDTH, HEADS, STEPS = 0, 13, 16, 4, 400
PLACE = Path(__file__).parents[2] / "autograder" / "assignments" / Path(__file__).parent.name / "checkpoint.npz"


class Trained(nn.Module):
    """The same model as ``TinyTranslator``, with torch's own attention."""

    def __init__(self) -> None:
        super().__init__()
        self.embedding = nn.Embedding(WORDS, WIDTH)
        self.cross = nn.MultiheadAttention(WIDTH, HEADS, bias=False, batch_first=True)
        self.out = nn.Linear(WIDTH, WORDS)

    def forward(self, src: Tensor, tgt_in: Tensor) -> Tensor:
        memory, query = (self.embedding(ids) + sinusoids(ids.shape[1], WIDTH) for ids in (src, tgt_in))
        output, _ = self.cross(query, memory, memory, key_padding_mask=src == 0)
        logits: Tensor = self.out(query + output)
        return logits


def trained(seed: int = SEED) -> dict[str, np.ndarray]:
    """The weights after training, by torch's names."""
    with torch.random.fork_rng(devices=[]):
        torch.manual_seed(seed)
        model = Trained()
    optimizer = torch.optim.Adam(model.parameters(), lr=0.01)
    for step in range(STEPS):
        src, tgt_in, tgt_out = copy_task(4 + step % 7, 64, WORDS, 1000 * seed + step)
        loss = F.cross_entropy(model(src, tgt_in).flatten(0, 1), tgt_out.flatten())
        model.zero_grad()
        loss.backward()
        optimizer.step()
    return {name: values.numpy() for name, values in model.state_dict().items()}


if __name__ == "__main__":
    torch.set_num_threads(1)
    np.savez_compressed(PLACE, allow_pickle=False, **trained())
    print(f"{PLACE}: {PLACE.stat().st_size} bytes")
