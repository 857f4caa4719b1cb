import torch
from torch import nn


def one_position(features, eps):
    mean = sum(features) / len(features)
    variance = sum((feature - mean) ** 2 for feature in features) / len(features)
    return torch.stack([(feature - mean) / (variance + eps) ** 0.5 for feature in features])


def layer_norm(x, gain, shift, eps=1e-5):
    rows = x.reshape(-1, x.shape[-1])
    normal = torch.stack([one_position(list(row.unbind()), eps) for row in rows.unbind()])
    return normal.reshape(x.shape) * gain + shift


class LayerNorm(nn.Module):
    def __init__(self, d, eps=1e-5):
        super().__init__()
        self.gain = nn.Parameter(torch.ones(d))
        self.shift = nn.Parameter(torch.zeros(d))
        self.eps = eps

    def forward(self, x):
        return layer_norm(x, self.gain, self.shift, self.eps)


def rms_norm(x, gain, eps=1e-5):
    rows = x.reshape(-1, x.shape[-1])
    scaled = [row / (torch.dot(row, row) / len(row) + eps) ** 0.5 for row in rows.unbind()]
    return torch.stack(scaled).reshape(x.shape) * gain
