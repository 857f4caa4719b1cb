# Layer normalisation
#
# Fill in every place marked "Your code here". The README beside this file explains each task.
# layer_norm.ipynb is the same assignment as a notebook. Hand in the script or the notebook, not both.
# To check your work: attngrade check layer_norm.py

import torch
from torch import nn

# ---- 1. The function


def layer_norm(x, gain, shift, eps=1e-5):
    """Normalise the last axis, then scale and shift it.

    Args:
        x: (..., d), with any number of axes in front, such as (B, T, d).
        gain: (d,).
        shift: (d,).
        eps: A small number that is added to the variance.

    Returns:
        The normalised tensor, of the shape of x. Before gain and shift, each position has mean 0 and a variance of
        nearly 1.
    """
    # Your code here: return the normalised, scaled and shifted tensor.
    raise NotImplementedError


# ---- 2. The module


class LayerNorm(nn.Module):
    """Layer normalisation of d features, with the parameters gain (d,) and shift (d,)."""

    def __init__(self, d, eps=1e-5):
        """Make the parameters.

        Args:
            d: The number of features.
            eps: A small number that is added to the variance.
        """
        super().__init__()
        # Your code here: make the parameters gain (ones) and shift (zeros), and keep eps.
        raise NotImplementedError

    def forward(self, x):
        """Normalise x with this layer's gain, shift and eps.

        Args:
            x: (..., d).

        Returns:
            A tensor of the shape of x.
        """
        # Your code here: return x, normalised with your function.
        raise NotImplementedError


# ---- 3. Without the mean


def rms_norm(x, gain, eps=1e-5):
    """Divide the last axis by the root of its mean square, then scale it.

    Args:
        x: (..., d).
        gain: (d,).
        eps: A small number that is added to the mean square.

    Returns:
        A tensor of the shape of x.
    """
    # Your code here: return the scaled tensor.
    raise NotImplementedError
