"""torch's own MultiheadAttention, masked.softmax, pad_sequence, pack_padded_sequence and Transformer mask."""

import torch
from torch import nn
from torch.nn import functional as F
from torch.nn.utils.rnn import pack_padded_sequence, pad_sequence


def padding_mask(lengths, max_len=None):
    """Rows of ones, padded; cut or widened by a pad of a negative or positive width."""
    rows = [torch.ones(length, dtype=torch.bool, device=lengths.device) for length in lengths.tolist()]
    mask = pad_sequence(rows, batch_first=True, padding_value=False)
    return mask if max_len is None else F.pad(mask, (0, max_len - mask.size(1)))


def causal_mask(length):
    """The Transformer's own mask is 0 where one may look, minus infinity elsewhere."""
    return nn.Transformer.generate_square_subsequent_mask(length) == 0


def window_mask(length, radius):
    """A band between two diagonals."""
    return torch.ones(length, length, dtype=torch.bool).triu(-radius).tril(radius)


def strided_mask(length, stride):
    """Every stride-th column, then the diagonal."""
    mask = torch.zeros(length, length, dtype=torch.bool)
    mask[:, ::stride] = True
    return mask.fill_diagonal_(True)


def combine_masks(key_padding, attention):
    """-> (B, T_q, T_k)."""
    return torch.einsum("bk,qk->bqk", key_padding.int(), attention.int()).bool()


def open_blank(mask, dim=-1):
    """torch gives NaN to a row in which all is masked: such rows may look everywhere, and are emptied after."""
    return mask | ~mask.any(dim=dim, keepdim=True)


def masked_softmax(scores, mask, dim=-1):
    """torch.masked.softmax."""
    mask = mask.expand_as(scores)
    return torch.masked.softmax(scores, dim, mask=open_blank(mask, dim)).masked_fill(~mask, 0.0)


def masked_attention(query, key, value, mask):
    """One head for each leading index; scores go in as the additive mask, values pass through identities."""
    scores = torch.einsum("...qd,...kd->...qk", query, key) * query.size(-1) ** -0.5
    mask = mask.expand_as(scores)
    hidden = scores.masked_fill(~open_blank(mask), -torch.inf).reshape(-1, *scores.shape[-2:])
    values = value.reshape(-1, *value.shape[-2:])
    width = value.size(-1)
    attention = nn.MultiheadAttention(width, 1, bias=False, batch_first=True).to(values)
    with torch.no_grad():
        attention.in_proj_weight.copy_(torch.eye(width).repeat(3, 1))
        attention.out_proj.weight.copy_(torch.eye(width))
    queries = values.new_zeros(*hidden.shape[:2], width)
    output, weights = attention(queries, torch.zeros_like(values), values, attn_mask=hidden)
    seen = mask.any(dim=-1, keepdim=True)
    output = output.reshape(*scores.shape[:-1], width).masked_fill(~seen, 0.0)
    return output, weights.reshape(scores.shape).masked_fill(~mask, 0.0)


def masked_cross_entropy(logits, targets, lengths):
    """Packing leaves nothing but real tokens; it takes no empty sentences, so those go first."""
    some = lengths > 0

    def packed(padded):
        return pack_padded_sequence(padded[some], lengths[some].cpu(), batch_first=True, enforce_sorted=False)

    return nn.CrossEntropyLoss()(packed(logits).data, packed(targets).data)
