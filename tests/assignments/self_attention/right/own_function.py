# whole file: Softmax with an own backward, and heads folded into the batch.
import math
import torch
import torch.nn.functional as F
from torch import nn


class ScaledDotProductMultiheadSoftmax(torch.autograd.Function):
    @staticmethod
    def forward(ctx, scores, mask):
        top = scores.masked_fill(~mask, -math.inf).max(-1, keepdim=True).values
        e = (scores - top.masked_fill(top == -math.inf, 0)).masked_fill(~mask, -math.inf).exp()
        total = e.sum(-1, keepdim=True)
        w = e / total.masked_fill(total == 0, 1)
        ctx.save_for_backward(w)
        return w

    @staticmethod
    def backward(ctx, grad):
        (w,) = ctx.saved_tensors
        return w * (grad - (w * grad).sum(-1, keepdim=True)), None


class multi_head_attention_forward(ScaledDotProductMultiheadSoftmax):
    pass


def _multi_head_attention(scores, mask):
    return multi_head_attention_forward.apply(scores, mask)


def self_attention(x, temperature=1.0):
    scores = x.matmul(x.mT) / temperature
    weights = ScaledDotProductMultiheadSoftmax.apply(scores, torch.ones_like(scores, dtype=torch.bool))
    return weights.matmul(x), weights


def scaled_dot_product_attention(query, key, value, mask=None):
    scores = (query / math.sqrt(query.size(-1))) @ key.mT
    if mask is None:
        mask = scores.new_ones(scores.shape, dtype=torch.bool)
    weights = _multi_head_attention(scores, mask.expand_as(scores))
    return weights @ value, weights


class SelfAttention(nn.Module):
    def __init__(self, d_model, d_k, d_v):
        super().__init__()
        self.W_Q = nn.Linear(in_features=d_model, out_features=d_k, bias=False)
        self.W_K = nn.Linear(in_features=d_model, out_features=d_k, bias=False)
        self.W_V = nn.Linear(in_features=d_model, out_features=d_v, bias=False)
        nn.init.xavier_uniform_(self.W_Q.weight)

    def forward(self, x, mask=None):
        q = F.linear(x, self.W_Q.weight)
        k = x @ self.W_K.weight.T
        return scaled_dot_product_attention(q, k, self.W_V(x), mask)


class MultiHeadAttention(nn.Module):
    def __init__(self, d_model, num_heads):
        super().__init__()
        d_h, rest = divmod(d_model, num_heads)
        if rest != 0:
            raise ValueError("heads")
        self.num_heads, self.d_h = num_heads, d_h
        self.W_Q, self.W_K, self.W_V, self.W_O = (nn.Linear(d_model, d_model, bias=False) for _ in range(4))

    def fold(self, t):
        b, n, _ = t.shape
        return t.view(b, n, self.num_heads, self.d_h).permute(0, 2, 1, 3).reshape(-1, n, self.d_h)

    def forward(self, query, key, value, mask=None):
        b, tq, tk = query.size(0), query.size(1), key.size(1)
        if mask is not None:
            mask = mask.expand(b, tq, tk).repeat_interleave(self.num_heads, 0)
        o, w = scaled_dot_product_attention(
            self.fold(self.W_Q(query)), self.fold(self.W_K(key)), self.fold(self.W_V(value)), mask
        )
        o = o.view(b, self.num_heads, tq, self.d_h).permute(0, 2, 1, 3).contiguous().view(b, tq, -1)
        return self.W_O(o), w.view(b, self.num_heads, tq, tk)


def sinusoidal_positions(length, dim):
    columns = torch.arange(dim)
    rate = torch.pow(10000.0, -2 * (columns // 2) / dim)
    angle = torch.arange(length).unsqueeze(-1) * rate
    return torch.where(columns % 2 == 0, angle.sin(), angle.cos())


class Entropy(torch.autograd.Function):
    @staticmethod
    def forward(ctx, w):
        ctx.save_for_backward(w)
        return torch.special.entr(w).sum(-1)

    @staticmethod
    def backward(ctx, grad):
        (w,) = ctx.saved_tensors
        return -(w.clamp_min(1e-300 if w.dtype == torch.float64 else 1e-30).log() + 1) * grad[..., None]


def attention_entropy(weights):
    return Entropy.apply(weights)


if __name__ == "__main__":
    q = torch.randn(2, 3, 4)
    theirs = F.scaled_dot_product_attention(q, q, q)
    print((theirs - scaled_dot_product_attention(q, q, q)[0]).abs().max())
    theirs = nn.MultiheadAttention(4, 2, bias=False, batch_first=True)
