# Adapted from "The Annotated Transformer" (Harvard NLP), changed to the names of our assignment.
# https://nlp.seas.harvard.edu/annotated-transformer/

import copy
import math

import torch
import torch.nn as nn


def clones(module, N):
    "Produce N identical layers."
    return nn.ModuleList([copy.deepcopy(module) for _ in range(N)])


def self_attention(x, temperature=1.0):
    "Attention of x to itself, no projections"
    scores = torch.matmul(x, x.transpose(-2, -1)) / temperature
    p_attn = scores.softmax(dim=-1)
    return torch.matmul(p_attn, x), p_attn


def scaled_dot_product_attention(query, key, value, mask=None):
    "Compute 'Scaled Dot Product Attention'"
    d_k = query.size(-1)
    scores = torch.matmul(query, key.transpose(-2, -1)) / math.sqrt(d_k)
    if mask is not None:
        scores = scores.masked_fill(mask == 0, -1e9)
    p_attn = scores.softmax(dim=-1)
    if mask is not None:
        # rows without a single allowed key
        p_attn = p_attn.masked_fill(mask == 0, 0.0)
    return torch.matmul(p_attn, value), p_attn


class SelfAttention(nn.Module):
    def __init__(self, d_model, d_k, d_v):
        super(SelfAttention, self).__init__()
        self.W_Q = nn.Linear(d_model, d_k, bias=False)
        self.W_K = nn.Linear(d_model, d_k, bias=False)
        self.W_V = nn.Linear(d_model, d_v, bias=False)

    def forward(self, x, mask=None):
        query, key, value = self.W_Q(x), self.W_K(x), self.W_V(x)
        x, attn = scaled_dot_product_attention(query, key, value, mask=mask)
        return x, attn


class MultiHeadAttention(nn.Module):
    def __init__(self, d_model, num_heads):
        "Take in model size and number of heads."
        super(MultiHeadAttention, self).__init__()
        if num_heads <= 0 or d_model % num_heads != 0:
            raise ValueError("d_model has to be a multiple of num_heads")
        # We assume d_v always equals d_k
        self.d_k = d_model // num_heads
        self.h = num_heads
        self.W_Q = nn.Linear(d_model, d_model, bias=False)
        self.W_K = nn.Linear(d_model, d_model, bias=False)
        self.W_V = nn.Linear(d_model, d_model, bias=False)
        self.W_O = nn.Linear(d_model, d_model, bias=False)

    def forward(self, query, key, value, mask=None):
        if mask is not None and mask.dim() == 3:
            # Same mask applied to all h heads.
            mask = mask.unsqueeze(1)
        nbatches = query.size(0)

        # 1) Do all the linear projections in batch from d_model => h x d_k
        query, key, value = [
            lin(x).view(nbatches, -1, self.h, self.d_k).transpose(1, 2)
            for lin, x in zip((self.W_Q, self.W_K, self.W_V), (query, key, value))
        ]

        # 2) Apply attention on all the projected vectors in batch.
        x, attn = scaled_dot_product_attention(query, key, value, mask=mask)

        # 3) "Concat" using a view and apply a final linear.
        x = x.contiguous().view(nbatches, -1, self.h * self.d_k)
        return self.W_O(x), attn


def sinusoidal_positions(length, dim):
    "Compute the positional encodings once in log space."
    pe = torch.zeros(length, dim, dtype=torch.float32)
    position = torch.arange(0, length, dtype=torch.float32).unsqueeze(1)
    div_term = torch.exp(torch.arange(0, dim, 2, dtype=torch.float32) * -(math.log(10000.0) / dim))
    pe[:, 0::2] = torch.sin(position * div_term)
    pe[:, 1::2] = torch.cos(position * div_term)
    return pe


def attention_entropy(weights):
    return -(weights * torch.log(weights.clamp(min=1e-12))).sum(dim=-1)


# class EncoderLayer(nn.Module):
#     "Encoder is made up of self-attn and feed forward (defined below)"
#     def __init__(self, size, self_attn, feed_forward, dropout):
#         super(EncoderLayer, self).__init__()
#         self.self_attn = self_attn
#         self.feed_forward = feed_forward
#         self.sublayer = clones(SublayerConnection(size, dropout), 2)
#         self.size = size


if __name__ == "__main__":
    mha = MultiHeadAttention(16, 4)
    x = torch.randn(2, 7, 16) + sinusoidal_positions(7, 16)
    out, attn = mha(x, x, x, mask=torch.ones(7, 7).tril().bool())
    print(out.shape, attn.shape, attn.sum(-1).min())
