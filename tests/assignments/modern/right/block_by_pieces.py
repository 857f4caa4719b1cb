# A block written out: norms and GELU by hand, a list of heads, and costs in other orders.
import math

import torch
from torch import nn


class TransformerBlock(nn.Module):
    def __init__(self, d_model, num_heads, num_groups, d_ff):
        super().__init__()
        self.attention = GroupedQueryAttention(d_model, num_heads, num_groups)
        self.norm1, self.norm2 = nn.LayerNorm(d_model), nn.LayerNorm(d_model)
        self.W_1, self.W_2 = nn.Linear(d_model, d_ff), nn.Linear(d_ff, d_model)

    @staticmethod
    def norm(layer, x):
        mean = x.mean(dim=-1, keepdim=True)
        variance = (x - mean).square().mean(dim=-1, keepdim=True)
        return (x - mean) / torch.sqrt(variance + layer.eps) * layer.weight + layer.bias

    @staticmethod
    def gelu(x):
        return x * (1 + torch.erf(x / math.sqrt(2))) / 2

    def forward(self, x):
        middle = self.attention(self.norm(self.norm1, x)) + x
        return self.W_2(self.gelu(self.W_1(self.norm(self.norm2, middle)))) + middle


def attention_costs(batch, heads, groups, queries, keys, head_dim, bytes_per_number=4):
    pairs = batch * heads * queries * keys
    multiplications = additions = 2 * pairs * head_dim
    return multiplications + additions, bytes_per_number * pairs, bytes_per_number * batch * groups * keys * head_dim * 2


def visible_pairs(length, radius, stride):
    r = min(radius, length - 1)
    places = torch.arange(length)
    first, last = (places - r).clamp(min=0), (places + r).clamp(max=length - 1)
    strided = torch.div(last, stride, rounding_mode="floor") - torch.div(first - 1, stride, rounding_mode="floor")
    return int((last - first + 1 - strided).sum()) + length * math.ceil(length / stride)
