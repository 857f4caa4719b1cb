"""A weighted sum by broadcasting; states repeated; layers made in another order."""

import torch
from torch import nn


def stable_softmax(scores, dim=-1):
    """Softmax along one axis, right for scores of any size up to +-1e4.

    Use ``exp``, ``sum`` and ``amax`` (or the like), but no ready-made ``softmax``, ``softmin``,
    ``log_softmax`` or ``logsumexp``.

    Args:
        scores: tensor of any shape, float32 or float64.
        dim: the axis along which the weights sum to 1.

    Returns:
        Weights of the same shape, dtype and device as ``scores``.
    """
    exponentials = torch.exp(scores - scores.amax(dim=dim, keepdim=True))
    return exponentials / exponentials.sum(dim=dim, keepdim=True)


def softmax_vjp(weights, grad_weights):
    """The gradient of a loss with respect to the scores, given that for the weights.

    Work it out by hand: no autograd, no ready-made softmax backward.

    Args:
        weights: (..., T), the output of a softmax along the last axis.
        grad_weights: (..., T), d loss / d weights.

    Returns:
        (..., T), d loss / d scores.
    """
    mean_gradient = (weights * grad_weights).sum(dim=-1, keepdim=True)
    return weights * (grad_weights - mean_gradient)


class BahdanauAttention(nn.Module):
    """Additive attention (Bahdanau et al., 2015): e_j = v^T tanh(W_s s + W_h h_j)."""

    def __init__(self, enc_dim, dec_dim, attn_dim):
        """Make the three layers, each an ``nn.Linear`` with ``bias=False``.

        W_s: dec_dim -> attn_dim, W_h: enc_dim -> attn_dim, v: attn_dim -> 1.
        """
        super().__init__()
        self.v = nn.Linear(attn_dim, 1, bias=False)
        self.W_h = nn.Linear(enc_dim, attn_dim, bias=False)
        self.W_s = nn.Linear(dec_dim, attn_dim, bias=False)
        nn.init.normal_(self.v.weight)

    def score(self, decoder_state, encoder_states):
        """Score every source position, for all sentences at once.

        Args:
            decoder_state: (B, dec_dim).
            encoder_states: (B, T_s, enc_dim).

        Returns:
            Scores (B, T_s), not normalised.
        """
        query = self.W_s(decoder_state.unsqueeze(1).repeat(1, encoder_states.size(1), 1))
        keys = self.W_h(encoder_states)  # (B, T_s, attn_dim)
        return self.v(torch.tanh(query + keys)).squeeze(-1)  # (B, T_s)

    def forward(self, decoder_state, encoder_states):
        """Look at the source: weights from ``score``, context from the weights.

        Args:
            decoder_state: (B, dec_dim).
            encoder_states: (B, T_s, enc_dim).

        Returns:
            context (B, enc_dim) and weights (B, T_s); each row of weights sums to 1.
        """
        weights = stable_softmax(self.score(decoder_state, encoder_states), dim=-1)
        context = (weights.unsqueeze(-1) * encoder_states).sum(dim=1)
        return context, weights


if __name__ == "__main__":
    torch.manual_seed(0)
    attention = BahdanauAttention(enc_dim=16, dec_dim=16, attn_dim=16)
    for length in (6, 12, 24, 48):
        context, weights = attention(torch.randn(1, 16), torch.randn(1, length, 16))
        print(length, tuple(context.shape), weights.sum().item())
