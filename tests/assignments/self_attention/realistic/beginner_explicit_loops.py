# Assignment 3 - self attention
# I wrote the loops out because I find it easier to follow than the batched version.

import math

import torch
from torch import nn


def self_attention(x, temperature=1.0):
    B = x.shape[0]
    T = x.shape[1]
    all_outputs = []
    all_weights = []
    # go through the sentences one by one
    for b in range(B):
        sentence = x[b]  # (T, d)
        out_rows = []
        weight_rows = []
        # every word looks at all words (also at itself)
        for i in range(T):
            scores = torch.matmul(sentence, sentence[i])  # (T,)
            scores = scores / temperature
            w = torch.softmax(scores, dim=0)
            out_rows.append(torch.matmul(w, sentence))
            weight_rows.append(w)
        all_outputs.append(torch.stack(out_rows))
        all_weights.append(torch.stack(weight_rows))
    output = torch.stack(all_outputs)
    weights = torch.stack(all_weights)
    # print("output", output.shape, "weights", weights.shape)
    return output, weights


def scaled_dot_product_attention(query, key, value, mask=None):
    d_k = query.shape[-1]
    key_transposed = key.transpose(-2, -1)
    scores = torch.matmul(query, key_transposed)
    scores = scores / math.sqrt(d_k)
    if mask is None:
        weights = torch.softmax(scores, dim=-1)
    else:
        # very negative instead of -inf, because a row of only -inf gives nan
        not_allowed = torch.logical_not(mask)
        scores = scores.masked_fill(not_allowed, -1e9)
        weights = torch.softmax(scores, dim=-1)
        # a row with no True at all is uniform now, so set the forbidden ones to 0 again
        weights = weights.masked_fill(not_allowed, 0.0)
    output = torch.matmul(weights, value)
    return output, weights


class SelfAttention(nn.Module):
    def __init__(self, d_model, d_k, d_v):
        super().__init__()
        self.W_Q = nn.Linear(d_model, d_k, bias=False)
        self.W_K = nn.Linear(d_model, d_k, bias=False)
        self.W_V = nn.Linear(d_model, d_v, bias=False)

    def forward(self, x, mask=None):
        q = self.W_Q(x)
        k = self.W_K(x)
        v = self.W_V(x)
        output, weights = scaled_dot_product_attention(q, k, v, mask)
        return output, weights


class MultiHeadAttention(nn.Module):
    def __init__(self, d_model, num_heads):
        super().__init__()
        if num_heads == 0 or d_model % num_heads != 0:
            raise ValueError("d_model must be divisible by num_heads!!")
        self.d_model = d_model
        self.num_heads = num_heads
        self.head_size = d_model // num_heads
        self.W_Q = nn.Linear(d_model, d_model, bias=False)
        self.W_K = nn.Linear(d_model, d_model, bias=False)
        self.W_V = nn.Linear(d_model, d_model, bias=False)
        self.W_O = nn.Linear(d_model, d_model, bias=False)

    def forward(self, query, key, value, mask=None):
        q = self.W_Q(query)
        k = self.W_K(key)
        v = self.W_V(value)
        outputs = []
        weights = []
        for i in range(self.num_heads):
            start = i * self.head_size
            end = (i + 1) * self.head_size
            # each head has 3 axes only, so the mask fits as it is
            o, w = scaled_dot_product_attention(q[:, :, start:end], k[:, :, start:end], v[:, :, start:end], mask)
            outputs.append(o)
            weights.append(w)
        output = torch.cat(outputs, dim=-1)
        output = self.W_O(output)
        weights = torch.stack(weights, dim=1)
        return output, weights


def sinusoidal_positions(length, dim):
    table = torch.zeros(length, dim, dtype=torch.float32)
    for p in range(length):
        for i in range(dim // 2):
            angle = p / (10000 ** (2 * i / dim))
            table[p, 2 * i] = math.sin(angle)
            table[p, 2 * i + 1] = math.cos(angle)
    return table


def attention_entropy(weights):
    # log(0) is -inf, so put a 1 there first (log(1) = 0)
    ones = torch.ones_like(weights)
    safe = torch.where(weights > 0, weights, ones)
    terms = weights * torch.log(safe)
    return -terms.sum(dim=-1)


if __name__ == "__main__":
    x = torch.tensor([[[1.0, 0.0], [0.0, 1.0], [1.0, 1.0]]])
    output, weights = self_attention(x)
    print(weights)
    print(output)
    print(sinusoidal_positions(3, 4)[2])
    mha = MultiHeadAttention(8, 2)
    y = torch.randn(3, 5, 8)
    o, w = mha(y, y, y)
    print(o.shape, w.shape)
