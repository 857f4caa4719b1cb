"""The reference: written to be right and easy to check, not to be fast. Students never get it."""

import torch
from torch import Tensor


def cosine_scores(query: Tensor, key: Tensor) -> Tensor:
    """(B, T_q, d), (B, T_k, d) -> (B, T_q, T_k)."""
    return torch.cosine_similarity(query[:, :, None], key[:, None], dim=-1)
