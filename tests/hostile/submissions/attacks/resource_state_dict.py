"""Has twenty thousand parameters with long names."""
import torch
from torch import nn


class BahdanauAttention(nn.Module):
    def __init__(self, enc_dim, dec_dim, attn_dim):
        super().__init__()
        for number in range(20_000):
            self.register_parameter(f"{'n' * 200}{number}", nn.Parameter(torch.zeros(1)))
