"""Names parameters and layers with markup, control characters and megabytes."""
import torch
from torch import nn


class BahdanauAttention(nn.Module):
    def __init__(self, enc_dim, dec_dim, attn_dim):
        super().__init__()
        for name in ("<script>alert(1)</script>", "\x1b[2J", "\u202e", "=1+1", "\ud800", "\0", "x" * 1_000_000):
            self.register_parameter(name, nn.Parameter(torch.zeros(2)))
            self.add_module("l" + name, nn.Linear(1, 1))
