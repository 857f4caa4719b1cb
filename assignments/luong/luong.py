# Assignment 2: Luong attention
#
# Fill in every place marked "Your code here". The README beside this file explains each task.
# luong.ipynb is the same assignment as a notebook. Hand in the script or the notebook, not both.
# To check your work: attngrade check luong.py

import torch
from torch import nn

# ---- 1. Three scores, one layer


class LuongAttention(nn.Module):
    """Multiplicative attention (Luong et al., 2015) for T_t decoder states at once."""

    def __init__(self, enc_dim, dec_dim, method="dot", attn_dim=None):
        """Make the layers of the chosen score, every ``nn.Linear`` with ``bias=False``.

        "dot": no parameters. "general": W_a: enc_dim -> dec_dim.
        "concat": W_a: dec_dim + enc_dim -> attn_dim, v: attn_dim -> 1.

        Raises:
            ValueError: for "dot" with enc_dim != dec_dim, for "concat" without attn_dim, and
                for any other method.
        """
        # Your code here: set up the chosen score, or raise ValueError.
        raise NotImplementedError

    def score(self, decoder_states, encoder_states):
        """Score every source position for every target position.

        Args:
            decoder_states: (B, T_t, dec_dim).
            encoder_states: (B, T_s, enc_dim).

        Returns:
            Scores (B, T_t, T_s), not normalised.
        """
        # Your code here: return the scores of the chosen method.
        raise NotImplementedError

    def forward(self, decoder_states, encoder_states):
        """Attend from every decoder state.

        Args:
            decoder_states: (B, T_t, dec_dim).
            encoder_states: (B, T_s, enc_dim).

        Returns:
            context (B, T_t, enc_dim) and weights (B, T_t, T_s), summing to 1 over the source.
        """
        # Your code here: return the context and the weights.
        raise NotImplementedError


# ---- 2. The attentional hidden state


class AttentionalHidden(nn.Module):
    """Luong's attentional state: tanh(W_c [context; decoder_state])."""

    def __init__(self, enc_dim, dec_dim):
        """Make W_c, an ``nn.Linear`` from enc_dim + dec_dim to dec_dim with ``bias=False``."""
        # Your code here: set up the layer.
        raise NotImplementedError

    def forward(self, context, decoder_states):
        """Join (B, T_t, enc_dim) and (B, T_t, dec_dim) to (B, T_t, dec_dim)."""
        # Your code here: return the new states.
        raise NotImplementedError


# ---- 3. Local attention


def local_weights(scores, center, half_width):
    """Weights of Luong's local-p attention.

    Args:
        scores: (B, T_s); values up to +-1e4, also outside the window.
        center: (B,), same dtype as ``scores``; may be fractional and outside the sentence.
        half_width: D, an int >= 1. The standard deviation is D / 2.

    Returns:
        Weights (B, T_s): exactly 0 outside the window, all 0 where the window is empty,
        differentiable in ``scores`` and in ``center``.
    """
    # Your code here: return the local weights.
    raise NotImplementedError


# ---- Try it


if __name__ == "__main__":
    states = torch.eye(4).unsqueeze(0)
    context, weights = LuongAttention(4, 4)(3 * states[:, [2, 0]], states)
    print(weights)
