# %% [markdown]
# # Assignment 1: Bahdanau attention
#
# In early translation models, the decoder got one vector for the whole source sentence. Bahdanau, Cho and
# Bengio (2015) let the decoder look back instead. At every step it scores each encoder state, turns the
# scores into weights that sum to 1, and reads the weighted sum of the states.
#
# You build it step by step: first the softmax, then its derivative by hand, then the layer. The README beside
# this file has the shapes, a worked example and the rules.

# %%
import torch
from torch import nn

# %% [markdown]
# ## 1. A softmax that does not overflow
#
# $$\mathrm{softmax}(e)_j = \frac{\exp(e_j)}{\sum_k \exp(e_k)}$$
#
# In float32, $\exp$ overflows to infinity above about 88.7, and infinity divided by infinity is NaN. But the
# result does not change if you subtract the same number from all scores of a row. Which number makes every
# exponent at most 0? And why does each row need its own?


# %%
def stable_softmax(scores, dim=-1):
    """Softmax along one axis, correct for scores of any size up to +-1e4.

    Use ``exp``, ``sum``, ``amax`` and similar functions. The library functions ``softmax``, ``softmin``,
    ``log_softmax`` and ``logsumexp`` are not allowed.

    Args:
        scores: tensor of any shape, float32 or float64.
        dim: the axis along which the weights sum to 1.

    Returns:
        Weights of the same shape, dtype and device as ``scores``.
    """
    ### BEGIN SOLUTION: shift by the right maximum, exponentiate, normalise
    exponentials = torch.exp(scores - scores.amax(dim=dim, keepdim=True))
    return exponentials / exponentials.sum(dim=dim, keepdim=True)
    ### END SOLUTION


# %% [markdown]
# ## 2. The derivative of softmax, by hand
#
# Every weight depends on every score:
#
# $$\frac{\partial \alpha_i}{\partial e_j} = \alpha_i (\delta_{ij} - \alpha_j),$$
#
# where $\delta_{ij}$ is 1 for $i = j$ and 0 otherwise. Backpropagation does not need this $T \times T$ matrix
# itself. It needs only the product of the matrix with the incoming gradient
# $g_i = \partial L / \partial \alpha_i$. Write the sum over $i$ on paper and simplify: the result fits in one
# line of code.


# %%
def softmax_vjp(weights, grad_weights):
    """The gradient of a loss with respect to the scores, given its gradient with respect to the weights.

    Work it out by hand: no autograd, no library function for the softmax backward.

    Args:
        weights: (..., T), the output of a softmax along the last axis.
        grad_weights: (..., T), d loss / d weights.

    Returns:
        (..., T), d loss / d scores.
    """
    ### BEGIN SOLUTION: sum over i of g_i * d alpha_i / d e_j, without building the matrix
    mean_gradient = (weights * grad_weights).sum(dim=-1, keepdim=True)
    return weights * (grad_weights - mean_gradient)
    ### END SOLUTION


# %% [markdown]
# ## 3. The attention layer
#
# With the decoder state $s$ before the step and the encoder states $h_1, \dots, h_{T_s}$:
#
# $$e_j = v^\top \tanh(W_s s + W_h h_j), \qquad \alpha = \mathrm{softmax}(e), \qquad c = \sum_j \alpha_j h_j$$
#
# $W_s$ and $W_h$ project both to `attn_dim` numbers, so that they can be added. $v$ turns the `tanh` of each
# sum into a single score. The context $c$ is a weighted sum of the encoder states themselves, not of their
# projections.


# %%
class BahdanauAttention(nn.Module):
    """Additive attention (Bahdanau et al., 2015): e_j = v^T tanh(W_s s + W_h h_j)."""

    def __init__(self, enc_dim, dec_dim, attn_dim):
        """Make the three layers, each an ``nn.Linear`` with ``bias=False``.

        W_s: dec_dim -> attn_dim, W_h: enc_dim -> attn_dim, v: attn_dim -> 1.
        """
        ### BEGIN SOLUTION: super().__init__() first, then W_s, W_h and v
        super().__init__()
        self.W_s = nn.Linear(dec_dim, attn_dim, bias=False)
        self.W_h = nn.Linear(enc_dim, attn_dim, bias=False)
        self.v = nn.Linear(attn_dim, 1, bias=False)
        ### END SOLUTION

    def score(self, decoder_state, encoder_states):
        """Score every source position, for all sentences in the batch at once.

        Args:
            decoder_state: (B, dec_dim).
            encoder_states: (B, T_s, enc_dim).

        Returns:
            Scores (B, T_s), not normalised.
        """
        ### BEGIN SOLUTION: one projected decoder state meets T_s projected encoder states
        query = self.W_s(decoder_state).unsqueeze(1)  # (B, 1, attn_dim)
        keys = self.W_h(encoder_states)  # (B, T_s, attn_dim)
        return self.v(torch.tanh(query + keys)).squeeze(-1)  # (B, T_s)
        ### END SOLUTION

    def forward(self, decoder_state, encoder_states):
        """Attend to the source: compute weights from ``score``, and the context from the weights.

        Args:
            decoder_state: (B, dec_dim).
            encoder_states: (B, T_s, enc_dim).

        Returns:
            context (B, enc_dim) and weights (B, T_s); each row of weights sums to 1.
        """
        ### BEGIN SOLUTION: weights, then the weighted sum of the encoder states
        weights = stable_softmax(self.score(decoder_state, encoder_states), dim=-1)
        context = torch.bmm(weights.unsqueeze(1), encoder_states).squeeze(1)
        return context, weights
        ### END SOLUTION


# %% [markdown]
# ## Try it
#
# Exercise 6.5 of the chapter uses encoder states of width 16, for 6, 12, 24 and 48 positions. Whatever the
# length of the source, the weights of each sentence must sum to 1.

# %%
if __name__ == "__main__":
    torch.manual_seed(0)
    attention = BahdanauAttention(enc_dim=16, dec_dim=16, attn_dim=16)
    for length in (6, 12, 24, 48):
        context, weights = attention(torch.randn(1, 16), torch.randn(1, length, 16))
        print(length, tuple(context.shape), weights.sum().item())
