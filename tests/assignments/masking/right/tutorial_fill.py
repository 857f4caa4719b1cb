# whole file: The common additive -1e9, then a product with the mask.
import math

import torch
import torch.nn.functional as F


def padding_mask(lengths, max_len=None):
    if max_len is None:
        max_len = lengths.max().item()
    ids = torch.arange(0, max_len, dtype=torch.long, device=lengths.device)
    return ids.unsqueeze(0).expand(lengths.size(0), max_len) < lengths.unsqueeze(1).expand(lengths.size(0), max_len)


def causal_mask(length):
    subsequent = torch.triu(torch.ones((length, length)), diagonal=1).type(torch.uint8)
    return subsequent == 0


def window_mask(length, radius):
    d = torch.arange(length).view(1, -1) - torch.arange(length).view(-1, 1)
    return d.pow(2) <= radius**2


def strided_mask(length, stride):
    idx = torch.arange(length)
    by_stride = (idx.view(1, -1) % stride).expand(length, length) == 0
    return by_stride | torch.eye(length, dtype=torch.bool)


def combine_masks(key_padding, attention):
    B, T_k = key_padding.shape
    T_q = attention.shape[0]
    return key_padding.view(B, 1, T_k).expand(B, T_q, T_k) * attention.view(1, T_q, T_k).expand(B, T_q, T_k)


def masked_softmax(scores, mask, dim=-1):
    scores = scores + (~mask) * -1e9
    return F.softmax(scores, dim=dim) * mask


def masked_attention(query, key, value, mask):
    scores = torch.matmul(query, key.transpose(-2, -1)) / math.sqrt(query.size(-1))
    p_attn = masked_softmax(scores, mask, dim=-1)
    return torch.matmul(p_attn, value), p_attn


def masked_cross_entropy(logits, targets, lengths):
    log_p = F.log_softmax(logits, dim=2)
    losses = F.nll_loss(log_p.permute(0, 2, 1), targets, reduction="none")
    real = padding_mask(lengths, max_len=logits.size(1))
    return torch.masked_select(losses, real).mean()
