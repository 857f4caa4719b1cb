"""The reference: written to be right and easy to check, not to be fast. Students never get it.

Layer normalisation: Ba, Kiros and Hinton, Layer Normalization (2016), equations 3 and 4. RMS normalisation: Zhang and
Sennrich, Root Mean Square Layer Normalization (2019), equation 4, with eps below the root.
"""

import torch
from torch import Tensor, nn


def layer_norm(x: Tensor, gain: Tensor, shift: Tensor, eps: float = 1e-5) -> Tensor:
    """(..., d), (d,), (d,) -> (..., d)."""
    return torch.nn.functional.layer_norm(x, x.shape[-1:], gain, shift, eps)


class LayerNorm(nn.Module):
    """Layer normalisation with the parameters gain (d,) and shift (d,)."""

    def __init__(self, d: int, eps: float = 1e-5) -> None:
        super().__init__()
        self.gain = nn.Parameter(torch.ones(d))
        self.shift = nn.Parameter(torch.zeros(d))
        self.eps = eps

    def forward(self, x: Tensor) -> Tensor:
        """(..., d) -> (..., d)."""
        return layer_norm(x, self.gain, self.shift, self.eps)


def rms_norm(x: Tensor, gain: Tensor, eps: float = 1e-5) -> Tensor:
    """(..., d), (d,) -> (..., d)."""
    return torch.nn.functional.rms_norm(x, x.shape[-1:], gain, eps)
