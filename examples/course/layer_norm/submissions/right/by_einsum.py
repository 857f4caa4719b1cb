# %% [markdown]
# # Layer normalisation

# %%
import torch
from torch import nn


def root_of_mean_square(x, eps):
    return torch.einsum("...i,...i->...", x, x).div(x.shape[-1]).add(eps).sqrt().unsqueeze(-1)


def layer_norm(x, gain, shift, eps=1e-5):
    d = x.shape[-1]
    centring = torch.eye(d, dtype=x.dtype, device=x.device) - 1.0 / d
    centred = torch.einsum("...i,ij->...j", x - x[..., :1], centring)
    return torch.einsum("...i,i->...i", centred / root_of_mean_square(centred, eps), gain) + shift


class LayerNorm(nn.Module):
    def __init__(self, d, eps=1e-5):
        super().__init__()
        self.register_parameter("gain", nn.Parameter(torch.full((d,), 1.0)))
        self.register_parameter("shift", nn.Parameter(torch.full((d,), 0.0)))
        self.eps = eps

    def forward(self, x):
        return layer_norm(x, self.gain, self.shift, eps=self.eps)


def rms_norm(x, gain, eps=1e-5):
    return torch.einsum("...i,i->...i", x / root_of_mean_square(x, eps), gain)
