# whole file: Lists for tuples, prints, warnings, and further optional arguments.
print("luong loaded")
import warnings

import numpy as np
import torch
from torch import nn

warnings.warn("a warning while importing")
EPS = np.finfo(float).eps


class LuongAttention(nn.Module):
    def __init__(self, enc_dim, dec_dim, method="dot", attn_dim=None, verbose=True, dropout=0.0):
        super().__init__()
        if method == "dot":
            if enc_dim != dec_dim:
                raise ValueError("dims differ")
        elif method == "general":
            self.W_a = nn.Linear(enc_dim, dec_dim, bias=False)
        elif method == "concat":
            if attn_dim is None:
                raise ValueError("attn_dim?")
            self.W_a = nn.Linear(dec_dim + enc_dim, attn_dim, bias=False)
            self.v = nn.Linear(attn_dim, 1, bias=False)
        else:
            raise ValueError("unknown method " + str(method))
        self.method = method
        self.verbose = verbose
        self.dropout = nn.Dropout(dropout)
        self.register_buffer("calls", torch.zeros(1), persistent=False)

    def score(self, decoder_states, encoder_states, scale=1.0):
        if self.verbose:
            print("score", decoder_states.shape, encoder_states.shape)
        if self.method == "concat":
            q, k = self.W_a.weight.tensor_split([decoder_states.size(-1)], dim=1)
            hidden = (decoder_states @ q.t()).unsqueeze(2) + (encoder_states @ k.t()).unsqueeze(1)
            return scale * self.v(hidden.tanh()).flatten(2)
        keys = self.W_a(encoder_states) if self.method == "general" else encoder_states
        return scale * torch.baddbmm(torch.zeros(1, 1, 1, dtype=keys.dtype, device=keys.device), decoder_states, keys.mT)

    def forward(self, decoder_states, encoder_states, temperature=1.0):
        warnings.warn("forward was called")
        self.calls += 1
        self.last = self.score(decoder_states, encoder_states).detach()
        weights = self.dropout(torch.softmax(self.score(decoder_states, encoder_states) / temperature, -1))
        return [weights @ encoder_states, weights]


class AttentionalHidden(nn.Module):
    def __init__(self, enc_dim, dec_dim, activation=torch.tanh):
        super().__init__()
        self.W_c = nn.Linear(enc_dim + dec_dim, dec_dim, bias=False)
        self.activation = activation

    def forward(self, context, decoder_states, *extra, **more):
        print("hidden")
        return self.activation(self.W_c(torch.concat([context, decoder_states], -1)))


def local_weights(scores, center, half_width, sigma=None):
    print(scores, center)
    sigma = half_width / 2 if sigma is None else sigma
    j = torch.arange(scores.shape[-1]).type_as(scores)
    distance = (j - center[:, None]) / sigma
    window = (distance.abs() * sigma <= half_width).to(scores.dtype)
    bias = (1 - window) * torch.finfo(scores.dtype).min
    return (scores + bias).softmax(-1) * window * torch.exp(-distance.pow(2) / 2)


if __name__ == "__main__":
    raise SystemExit("never run while grading")
