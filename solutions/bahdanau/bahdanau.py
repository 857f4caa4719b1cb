# %% [markdown]
# # Assignment 1: Bahdanau attention
#
# In early translation models, the decoder got one vector for the whole source sentence. Bahdanau, Cho and
# Bengio (2015) let the decoder look back instead. At every step it scores each encoder state, turns the
# scores into weights that sum to 1, and reads the weighted sum of the states.
#
# You build it step by step: first the softmax, then its derivative by hand, then the layer. In the end your layer
# learns by itself where to look. The README beside this file has the shapes, a worked example and the rules.

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
# exponent at most 0, and one of them exactly 0? Does one number fit all rows?


# %%
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
    ### BEGIN SOLUTION: return the weights
    exponentials = torch.exp(scores - scores.amax(dim=dim, keepdim=True))
    return exponentials / exponentials.sum(dim=dim, keepdim=True)
    ### END SOLUTION


# %% [markdown] tags=["notebook"]
# **Predict, then run.** The first line is the formula as it stands above. `exp(88.0)` is finite in float32, and
# `exp(89.0)` is not. What does each line print?

# %% tags=["notebook"]
if __name__ == "__main__":
    powers = torch.exp(torch.tensor([88.0, 89.0]))
    print(powers / powers.sum())
    print(stable_softmax(torch.tensor([88.0, 89.0])))

# %% [markdown]
# ## 2. The derivative of softmax, by hand
#
# Every weight depends on every score:
#
# $$\frac{\partial \alpha_i}{\partial e_j} = \alpha_i (\delta_{ij} - \alpha_j),$$
#
# where $\delta_{ij}$ is 1 for $i = j$ and 0 otherwise. Backpropagation does not need this $T \times T$ matrix
# itself. It needs only the product of the matrix with the incoming gradient
# $g_i = \partial L / \partial \alpha_i$. Write the sum over $i$ on paper and simplify. Which terms does
# $\delta$ keep? Of the rest, what is the same for every $j$?


# %%
def softmax_vjp(weights, grad_weights):
    """The gradient of a loss with respect to the scores, given its gradient with respect to the weights.

    Work it out by hand: no autograd, no library function for the softmax backward.

    Args:
        weights: (..., T), the output of a softmax along the last axis. Some may be exactly 0 or 1.
        grad_weights: (..., T), d loss / d weights.

    Returns:
        (..., T), d loss / d scores.
    """
    ### BEGIN SOLUTION: return d loss / d scores
    mean_gradient = (weights * grad_weights).sum(dim=-1, keepdim=True)
    return weights * (grad_weights - mean_gradient)
    ### END SOLUTION


# %% [markdown] tags=["notebook"]
# **Predict, then run.** Three incoming gradients for the same weights. Which two results are equal, and which one do
# you know without any arithmetic?

# %% tags=["notebook"]
if __name__ == "__main__":
    weights = stable_softmax(torch.tensor([1.0, 2.0, 3.0]))
    for incoming in ([1.0, 0.0, 0.0], [6.0, 5.0, 5.0], [2.0, 2.0, 2.0]):
        print(softmax_vjp(weights, torch.tensor(incoming)))

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
        ### BEGIN SOLUTION: make the three layers
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
        ### BEGIN SOLUTION: return one score for each source position
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
        ### BEGIN SOLUTION: return the context and the weights
        weights = stable_softmax(self.score(decoder_state, encoder_states), dim=-1)
        context = torch.bmm(weights.unsqueeze(1), encoder_states).squeeze(1)
        return context, weights
        ### END SOLUTION


# %% [markdown] tags=["notebook"]
# **Predict, then run.** The same decoder state and the same encoder states, three times. First the decoder state is
# as it is, then it is 100 times as large, and then `v` is. In which case do the weights get sharper?

# %% tags=["notebook"]
if __name__ == "__main__":
    torch.manual_seed(0)
    attention = BahdanauAttention(enc_dim=16, dec_dim=16, attn_dim=16)
    state, states = torch.randn(1, 16), torch.randn(1, 6, 16)
    with torch.no_grad():
        print(attention(state, states)[1])
        print(attention(100 * state, states)[1])
        attention.v.weight.mul_(100)
        print(attention(state, states)[1])

# %% [markdown]
# ## Try it
#
# Whatever the length of the source, the context is as wide as an encoder state, and the weights of each sentence sum
# to 1. Does your layer agree?

# %%
if __name__ == "__main__":
    torch.manual_seed(0)
    attention = BahdanauAttention(enc_dim=16, dec_dim=16, attn_dim=16)
    for length in (1, 6, 12, 48):
        context, weights = attention(torch.randn(1, 16), torch.randn(1, length, 16))
        print(length, tuple(context.shape), weights.sum().item())
