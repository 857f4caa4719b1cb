# Assignment 1: Bahdanau attention
#
# Fill in every place marked "Your code here". The README beside this file explains each task.
# bahdanau.ipynb is the same assignment as a notebook. Hand in the script or the notebook, not both.
# To check your work: attngrade check bahdanau.py

import torch
from torch import nn

# ---- 1. A softmax that does not overflow


def stable_softmax(scores, dim=-1):
    """Softmax along one axis, correct for scores of any size up to +-1e4.

    Build it from elementary functions such as ``exp``. The library functions ``softmax``, ``softmin``,
    ``log_softmax`` and ``logsumexp`` are not allowed.

    Args:
        scores: tensor with one or more axes, float32 or float64.
        dim: the axis along which the weights sum to 1.

    Returns:
        Weights of the same shape, dtype and device as ``scores``.
    """
    # Your code here: return the weights.
    raise NotImplementedError


# ---- 2. The derivative of softmax, by hand


def softmax_vjp(weights, grad_weights):
    """The gradient of a loss with respect to the scores, given its gradient with respect to the weights.

    Work it out by hand: no autograd, no library function for the softmax backward.

    Args:
        weights: (..., T), the output of a softmax along the last axis. Some may be exactly 0 or 1.
        grad_weights: (..., T), d loss / d weights.

    Returns:
        (..., T), d loss / d scores.
    """
    # Your code here: return d loss / d scores.
    raise NotImplementedError


# ---- 3. The attention layer


class BahdanauAttention(nn.Module):
    """Additive attention (Bahdanau et al., 2015): e_j = v^T tanh(W_s s + W_h h_j)."""

    def __init__(self, enc_dim, dec_dim, attn_dim):
        """Make the three layers, each an ``nn.Linear`` with ``bias=False``.

        W_s: dec_dim -> attn_dim, W_h: enc_dim -> attn_dim, v: attn_dim -> 1.
        """
        # Your code here: make the three layers.
        raise NotImplementedError

    def score(self, decoder_state, encoder_states):
        """Score every source position, for all sentences in the batch at once.

        Args:
            decoder_state: (B, dec_dim).
            encoder_states: (B, T_s, enc_dim).

        Returns:
            Scores (B, T_s), not normalised.
        """
        # Your code here: return one score for each source position.
        raise NotImplementedError

    def forward(self, decoder_state, encoder_states):
        """Attend to the source: compute weights from ``score``, and the context from the weights.

        Args:
            decoder_state: (B, dec_dim).
            encoder_states: (B, T_s, enc_dim).

        Returns:
            context (B, enc_dim) and weights (B, T_s); each row of weights sums to 1.
        """
        # Your code here: return the context and the weights.
        raise NotImplementedError


# ---- Try it


if __name__ == "__main__":
    torch.manual_seed(0)
    attention = BahdanauAttention(enc_dim=16, dec_dim=16, attn_dim=16)
    for length in (1, 6, 12, 48):
        context, weights = attention(torch.randn(1, 16), torch.randn(1, length, 16))
        print(length, tuple(context.shape), weights.sum().item())
