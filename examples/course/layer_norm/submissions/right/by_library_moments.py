import torch
import torch.nn as nn


def layer_norm(x, gain, shift, eps=1e-5):
    variance, mean = torch.var_mean(x, -1, correction=0, keepdim=True)
    return torch.addcmul(shift, (x - mean) * torch.rsqrt(variance + eps), gain)


class LayerNorm(nn.Module):
    """Does not use the function."""

    def __init__(self, d, eps=1e-5):
        super().__init__()
        self.d, self._eps = d, eps
        self.gain = nn.Parameter(torch.empty(d))
        self.shift = nn.Parameter(torch.empty(d))
        self.reset()

    def reset(self):
        nn.init.ones_(self.gain)
        nn.init.zeros_(self.shift)

    def forward(self, x):
        mean = x.sum(-1, keepdim=True) / self.d
        offset = x - mean
        return offset / (offset.pow(2).sum(-1, keepdim=True) / self.d + self._eps) ** 0.5 * self.gain + self.shift


def rms_norm(x, gain, eps=1e-5):
    return gain * x * torch.rsqrt(torch.mean(x**2, dim=-1, keepdim=True) + eps)
