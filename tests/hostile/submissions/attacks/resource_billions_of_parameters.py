"""Has a parameter of a trillion numbers that takes no memory until somebody copies it."""
import torch
from torch import nn


class BahdanauAttention(nn.Module):
    def __init__(self, enc_dim, dec_dim, attn_dim):
        super().__init__()
        self.W_s = nn.Linear(dec_dim, attn_dim, bias=False)
        self.W_h = nn.Linear(enc_dim, attn_dim, bias=False)
        self.v = nn.Linear(attn_dim, 1, bias=False)
        self.big = nn.Parameter(torch.zeros(1).expand(10**6, 10**6))
        self.meta = nn.Parameter(torch.empty(10**6, 10**6, device="meta"))

    def forward(self, decoder_state, encoder_states):
        return self.big, self.meta

    score = forward
