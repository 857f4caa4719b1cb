# whole file: Masked softmax and the loss as own autograd functions.
import math
import torch


class MaskedSoftmax(torch.autograd.Function):
    @staticmethod
    def forward(ctx, scores, mask, dim):
        x = scores.masked_fill(~mask, torch.finfo(scores.dtype).min)
        x = x - x.max(dim, keepdim=True).values
        e = x.exp().masked_fill(~mask, 0)
        total = e.sum(dim, keepdim=True)
        y = e / total.masked_fill(total == 0, 1)
        ctx.save_for_backward(y)
        ctx.dim = dim
        return y

    @staticmethod
    def backward(ctx, grad):
        (y,) = ctx.saved_tensors
        return y * (grad - (grad * y).sum(ctx.dim, keepdim=True)), None, None


class TokenLoss(torch.autograd.Function):
    @staticmethod
    def forward(ctx, logits, targets, real):
        p = torch.softmax(logits, -1)
        grad = p.scatter_add(-1, targets.unsqueeze(-1), -torch.ones_like(p[..., :1]))
        grad = grad * real.unsqueeze(-1) / real.sum()
        ctx.save_for_backward(grad)
        nll = torch.logsumexp(logits, -1) - logits.gather(-1, targets.unsqueeze(-1)).squeeze(-1)
        return nll[real].mean()

    @staticmethod
    def backward(ctx, grad_output):
        return ctx.saved_tensors[0] * grad_output, None, None


def padding_mask(lengths, max_len=None):
    max_len = lengths.max() if max_len is None else max_len
    return torch.arange(max_len, device=lengths.device).unsqueeze(0) < lengths.unsqueeze(1)


def causal_mask(length):
    return torch.ones(length, length, dtype=torch.bool).tril_()


def window_mask(length, radius):
    return torch.cdist(torch.arange(length).double()[:, None], torch.arange(length).double()[:, None], p=1) <= radius


def strided_mask(length, stride):
    return (torch.arange(length) % stride).eq(0).repeat(length, 1) | torch.eye(length).bool()


def combine_masks(key_padding, attention):
    return attention.expand(key_padding.size(0), -1, -1) & key_padding.view(key_padding.size(0), 1, -1)


def masked_softmax(scores, mask, dim=-1):
    return MaskedSoftmax.apply(scores, mask, dim)


def masked_attention(query, key, value, mask):
    weights = masked_softmax(query @ key.mT / math.sqrt(query.shape[-1]), mask)
    return weights @ value, weights


def masked_cross_entropy(logits, targets, lengths):
    return TokenLoss.apply(logits, targets, padding_mask(lengths, targets.shape[1]))
