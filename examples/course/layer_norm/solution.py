# %% [markdown]
# # Layer normalisation
#
# A deep network multiplies and adds many times, so its numbers drift: they grow, shrink, or move away from 0. Layer
# normalisation puts each position back to mean 0 and variance 1, and lets the network choose scale and offset itself.
# Every transformer has it, twice a layer. You write it as a function, as a module, and in the shorter form of newer
# models.

# %%
import torch
from torch import nn

# %% [markdown]
# ## 1. The function
#
# Each position is a vector of d features. It gets its own mean and its own variance, from its own features alone.


# %%
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
    ### BEGIN SOLUTION: return the normalised, scaled and shifted tensor
    centred = x - x.mean(dim=-1, keepdim=True)
    variance = (centred * centred).mean(dim=-1, keepdim=True)
    return centred / torch.sqrt(variance + eps) * gain + shift
    ### END SOLUTION


# %% [markdown]
# ## 2. The module
#
# Gain and shift are learned. A new layer only normalises: its gain is 1 everywhere, its shift is 0.


# %%
class LayerNorm(nn.Module):
    """Layer normalisation of d features, with the parameters gain (d,) and shift (d,)."""

    def __init__(self, d, eps=1e-5):
        """Make the parameters.

        Args:
            d: The number of features.
            eps: A small number that is added to the variance.
        """
        super().__init__()
        ### BEGIN SOLUTION: make the parameters gain (ones) and shift (zeros), and keep eps
        self.gain = nn.Parameter(torch.ones(d))
        self.shift = nn.Parameter(torch.zeros(d))
        self.eps = eps
        ### END SOLUTION

    def forward(self, x):
        """Normalise x with this layer's gain, shift and eps.

        Args:
            x: (..., d).

        Returns:
            A tensor of the shape of x.
        """
        ### BEGIN SOLUTION: return x, normalised with your function
        return layer_norm(x, self.gain, self.shift, self.eps)
        ### END SOLUTION


# %% [markdown]
# ## 3. Without the mean
#
# Many newer language models leave mean and shift away, and divide by the root of the mean square.


# %%
def rms_norm(x, gain, eps=1e-5):
    """Divide the last axis by the root of its mean square, then scale it.

    Args:
        x: (..., d).
        gain: (d,).
        eps: A small number that is added to the mean square.

    Returns:
        A tensor of the shape of x.
    """
    ### BEGIN SOLUTION: return the scaled tensor
    mean_square = (x * x).mean(dim=-1, keepdim=True)
    return x / torch.sqrt(mean_square + eps) * gain
    ### END SOLUTION
