"""torch's own scaled_dot_product_attention: under the mask, causal, and with scores for keys; ignore_index."""

import torch
from torch.nn import functional as F


def unit(length, like):
    """A unit matrix; as the values of an attention it gives the weights."""
    return torch.eye(length, dtype=like.dtype, device=like.device)


def padding_mask(lengths, max_len=None):
    """A lower triangle, a row of it for each length."""
    width = int(lengths.max()) if max_len is None else max_len
    rows = max(width, int(lengths.max())) + 1
    triangle = torch.ones(rows, rows, dtype=torch.bool, device=lengths.device).tril(-1)
    return F.embedding(lengths, triangle.int()).bool()[:, :width]


def causal_mask(length):
    """Where a causal attention with equal scores looks."""
    zeros = torch.zeros(1, length, 1)
    return F.scaled_dot_product_attention(zeros, zeros, unit(length, zeros)[None], is_causal=True)[0] > 0


def window_mask(length, radius):
    """Distances by cdist."""
    positions = torch.arange(length, dtype=torch.float64).unsqueeze(1)
    return torch.cdist(positions, positions) <= radius


def strided_mask(length, stride):
    """Columns by remainder, and the diagonal."""
    columns = torch.remainder(torch.arange(length), stride) == 0
    return torch.logical_or(columns.expand(length, length), torch.eye(length, dtype=torch.bool))


def combine_masks(key_padding, attention):
    """-> (B, T_q, T_k)."""
    return torch.logical_and(key_padding.unsqueeze(1), attention.unsqueeze(0))


def masked_softmax(scores, mask, dim=-1):
    """A query of 1 and keys that are the scores; torch gives 0 to a query that may see nothing."""
    rows, seen = scores.movedim(dim, -1), mask.expand_as(scores).movedim(dim, -1)
    keys = rows.reshape(-1, rows.size(-1), 1)
    query, values = keys.new_ones(keys.size(0), 1, 1), unit(keys.size(1), keys).expand(keys.size(0), -1, -1)
    seen = seen.reshape(keys.size(0), 1, -1)
    weights = F.scaled_dot_product_attention(query, keys, values, attn_mask=seen, scale=1.0)
    return weights.reshape(rows.shape).movedim(-1, dim)


def masked_attention(query, key, value, mask):
    """Twice: with the values, and with a unit matrix for the weights."""
    seen = mask.expand(*query.shape[:-1], key.size(-2))
    values = unit(key.size(-2), value).expand(*key.shape[:-1], -1)
    return (
        F.scaled_dot_product_attention(query, key, value, attn_mask=seen),
        F.scaled_dot_product_attention(query, key, values, attn_mask=seen),
    )


def masked_cross_entropy(logits, targets, lengths):
    """A class that does not count at padding."""
    real = padding_mask(lengths, targets.size(1))
    return F.cross_entropy(logits.flatten(0, 1), targets.where(real, -100).flatten(), ignore_index=-100)
