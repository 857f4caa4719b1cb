# whole file: Computes in float64 and returns the dtype of the input.
import torch


def padding_mask(lengths, max_len=None):
    lengths = lengths.long()
    width = lengths.max() if max_len is None else max_len
    return torch.arange(width, device=lengths.device)[None] < lengths[:, None]


def causal_mask(length):
    return torch.full((length, length), True).tril()


def window_mask(length, radius):
    near = torch.full((length, length), True)
    return near.tril(radius) & near.triu(-radius)


def strided_mask(length, stride):
    i = torch.arange(length)
    return (i - i // stride * stride == 0)[None] | (i[None] == i[:, None])


def combine_masks(key_padding, attention):
    return torch.minimum(key_padding[:, None].byte(), attention.byte()).bool()


def masked_softmax(scores, mask, dim=-1):
    x = scores.double().masked_fill(~mask, -1e300)
    return x.softmax(dim).masked_fill(~mask, 0.0).to(scores.dtype)


def masked_attention(query, key, value, mask):
    q, k, v = query.double(), key.double(), value.double()
    w = (q @ k.mT / q.shape[-1] ** 0.5).masked_fill(~mask, -1e300).softmax(-1).masked_fill(~mask, 0.0)
    return (w @ v).to(value.dtype), w.to(value.dtype)


def masked_cross_entropy(logits, targets, lengths):
    z = logits.double()
    b, t = torch.nonzero(padding_mask(lengths, logits.size(1)), as_tuple=True)
    picked = z[b, t].log_softmax(-1)[torch.arange(len(b)), targets[b, t]]
    return -picked.mean().to(logits.dtype)
