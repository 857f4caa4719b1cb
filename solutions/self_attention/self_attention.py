# %% [markdown]
# # Assignment 3: Self-attention
#
# So far, a decoder attended to an encoder. Now a sequence attends to itself: every position looks at every
# other one, all in two matrix products. You start from the basic idea and add queries, keys and values,
# several heads, and positions. This is the core of the Transformer (Vaswani et al., 2017). At the end, your
# heads learn to add numbers, and you watch them do it.

# %%
import math

import torch
from torch import nn

# %% [markdown]
# ## 1. The basic idea, with a temperature
#
# $$A = \mathrm{softmax}\!\left(\frac{X X^\top}{\tau}\right), \qquad Y = A X$$
#
# There are no parameters and no scaling. A low temperature $\tau$ makes each row of $A$ nearly one-hot, and a
# high one makes it nearly uniform.


# %%
def self_attention(x, temperature=1.0):
    """Self-attention without projections: softmax(x x^T / temperature) x.

    Args:
        x: (B, T, d).
        temperature: a number > 0; the scores are divided by it.

    Returns:
        output (B, T, d) and weights (B, T, T).
    """
    ### BEGIN SOLUTION: return the output and the weights
    scores = x @ x.transpose(-2, -1)
    weights = torch.softmax(scores / temperature, dim=-1)
    return weights @ x, weights
    ### END SOLUTION


# %% [markdown] tags=["notebook"]
# **Predict, then run.** The third vector is the sum of the first two. At a very low temperature, what is the
# first row of weights? It is not one-hot. Why?

# %% tags=["notebook"]
if __name__ == "__main__":
    vectors = torch.tensor([[[1.0, 0.0], [0.0, 1.0], [1.0, 1.0]]])
    print(self_attention(vectors, temperature=0.01)[1].round(decimals=4))

# %% [markdown]
# ## 2. Queries, keys and values
#
# $$\mathrm{Attention}(Q, K, V) = \mathrm{softmax}\!\left(\frac{Q K^\top}{\sqrt{d_k}}\right) V$$
#
# The dot product of two random vectors of width $d_k$ has a standard deviation of $\sqrt{d_k}$. Dividing by
# it keeps the softmax out of its flat region. A mask is True where attention is allowed. A query may also have
# no such key: the section "Masks" of the README says what happens then, and why.
# `F.scaled_dot_product_attention` and similar functions do all this, and are not allowed here.


# %%
def scaled_dot_product_attention(query, key, value, mask=None):
    """softmax(Q K^T / sqrt(d_k)) V, under a mask if one is given.

    Args:
        query: (..., T_q, d_k).
        key: (..., T_k, d_k).
        value: (..., T_k, d_v).
        mask: None, or bool broadcastable to (..., T_q, T_k), True where a key may be seen.

    Returns:
        output (..., T_q, d_v) and weights (..., T_q, T_k). Masked weights are exactly 0; a
        query that may see nothing gets weights and an output of 0, and no gradient is NaN.
    """
    ### BEGIN SOLUTION: return the output and the weights, with a mask and without
    scores = query @ key.transpose(-2, -1) / math.sqrt(query.size(-1))
    if mask is None:
        weights = torch.softmax(scores, dim=-1)
    else:
        hidden = scores.masked_fill(~mask, torch.finfo(scores.dtype).min)
        weights = torch.softmax(hidden, dim=-1).masked_fill(~mask, 0.0)
    return weights @ value, weights
    ### END SOLUTION


# %% [markdown] tags=["notebook"]
# **Predict, then run.** Queries and keys are random and 256 wide. On average, how large is the largest of 8
# weights with the scale, and without it? (A query that is 16 times as long undoes the division by
# $\sqrt{256}$.)

# %% tags=["notebook"]
if __name__ == "__main__":
    torch.manual_seed(0)
    queries, keys = torch.randn(2, 100, 8, 256)
    for factor in (1, 16):
        _, weights = scaled_dot_product_attention(factor * queries, keys, keys)
        print(f"queries times {factor}: {weights.amax(dim=-1).mean():.2f}")


# %%
class SelfAttention(nn.Module):
    """One head: queries, keys and values are projections of the same sequence."""

    def __init__(self, d_model, d_k, d_v):
        """Make W_Q and W_K: d_model -> d_k, W_V: d_model -> d_v, all with ``bias=False``."""
        ### BEGIN SOLUTION: make the three layers
        super().__init__()
        self.W_Q = nn.Linear(d_model, d_k, bias=False)
        self.W_K = nn.Linear(d_model, d_k, bias=False)
        self.W_V = nn.Linear(d_model, d_v, bias=False)
        ### END SOLUTION

    def forward(self, x, mask=None):
        """Attend within (B, T, d_model), under a mask broadcastable to (B, T, T).

        Returns:
            output (B, T, d_v) and weights (B, T, T).
        """
        ### BEGIN SOLUTION: return the output and the weights of this head
        return scaled_dot_product_attention(self.W_Q(x), self.W_K(x), self.W_V(x), mask)
        ### END SOLUTION


# %% [markdown]
# ## 3. Several heads
#
# Each of $H$ heads works on its own $d_h = d_{model} / H$ columns of the projections. Head $i$ uses the
# columns from $i \, d_h$ up to, but not including, $(i+1) \, d_h$. The outputs are concatenated in the order
# of the heads, and $W_O$ mixes them:
#
# $$\mathrm{MultiHead}(Q, K, V) = W_O [\mathrm{head}_0; \dots; \mathrm{head}_{H-1}]$$
#
# You need no loop over heads, because a matrix product treats leading axes as separate problems. Where must the
# axis of the heads stand, then?


# %%
class MultiHeadAttention(nn.Module):
    """Multi-head attention over ``num_heads`` slices of the model's width."""

    def __init__(self, d_model, num_heads):
        """Make W_Q, W_K, W_V and W_O: d_model -> d_model, all with ``bias=False``.

        Raises:
            ValueError: if ``num_heads`` does not divide ``d_model``.
        """
        ### BEGIN SOLUTION: make the four layers, or raise ValueError
        super().__init__()
        if num_heads < 1 or d_model % num_heads != 0:
            raise ValueError(f"{num_heads} heads cannot share {d_model} columns evenly")
        self.num_heads = num_heads
        self.W_Q = nn.Linear(d_model, d_model, bias=False)
        self.W_K = nn.Linear(d_model, d_model, bias=False)
        self.W_V = nn.Linear(d_model, d_model, bias=False)
        self.W_O = nn.Linear(d_model, d_model, bias=False)
        ### END SOLUTION

    def split_heads(self, projected):
        """(B, T, d_model) -> (B, num_heads, T, d_h). A helper: change or drop it as you like."""
        ### BEGIN SOLUTION: return the same numbers, sorted by head
        return projected.unflatten(-1, (self.num_heads, -1)).transpose(1, 2)
        ### END SOLUTION

    def forward(self, query, key, value, mask=None):
        """Attend with every head at once.

        Args:
            query: (B, T_q, d_model).
            key, value: (B, T_k, d_model).
            mask: None, or bool of one to three axes, broadcastable to (B, T_q, T_k).

        Returns:
            output (B, T_q, d_model) and weights (B, num_heads, T_q, T_k).
        """
        ### BEGIN SOLUTION: return the output, and the weights of every head
        if mask is not None and mask.dim() == 3:
            mask = mask.unsqueeze(1)  # (B, 1, T_q, T_k): the same for every head
        heads, weights = scaled_dot_product_attention(
            self.split_heads(self.W_Q(query)), self.split_heads(self.W_K(key)), self.split_heads(self.W_V(value)), mask
        )
        joined = heads.transpose(1, 2).flatten(2)  # (B, T_q, d_model)
        return self.W_O(joined), weights
        ### END SOLUTION


# %% [markdown] tags=["notebook"]
# **Predict, then run.** The words of a sentence are turned round. What happens to the outputs? What would a
# recurrent network do?

# %% tags=["notebook"]
if __name__ == "__main__":
    torch.manual_seed(0)
    attention = MultiHeadAttention(8, 2)
    sentence = torch.randn(1, 5, 8)
    backwards = sentence.flip(1)
    output, _ = attention(sentence, sentence, sentence)
    turned, _ = attention(backwards, backwards, backwards)
    print(torch.allclose(turned, output), torch.allclose(turned, output.flip(1), atol=1e-6))


# %% [markdown]
# ## 4. Where am I?
#
# If you shuffle the input of self-attention, the output is shuffled the same way. Self-attention is
# permutation-equivariant: it does not know the order. To give it the order, add a vector to each position
# that depends on the position:
#
# $$P_{p, 2i} = \sin\!\left(\frac{p}{10000^{2i/d}}\right), \qquad
# P_{p, 2i+1} = \cos\!\left(\frac{p}{10000^{2i/d}}\right)$$


# %%
def sinusoidal_positions(length, dim):
    """Sinusoidal position vectors, positions counted from 0.

    Args:
        length: number of positions.
        dim: width, even.

    Returns:
        (length, dim) float32, correct within 1e-4 for up to 512 positions.
    """
    ### BEGIN SOLUTION: return the table of position vectors
    position = torch.arange(length, dtype=torch.float64).unsqueeze(1)
    exponent = torch.arange(0, dim, 2, dtype=torch.float64) / dim
    angle = position / 10000.0**exponent  # (length, dim / 2)
    return torch.stack([angle.sin(), angle.cos()], dim=-1).flatten(1).float()
    ### END SOLUTION


# %% [markdown] tags=["notebook"]
# **Predict, then run.** Which dot products of two position vectors are equal: 3 with 7, 7 with 3, 20 with 24?
# Remember that $\sin a \sin b + \cos a \cos b = \cos(a - b)$.

# %% tags=["notebook"]
if __name__ == "__main__":
    positions = sinusoidal_positions(30, 16)
    for p, q in ((3, 7), (7, 3), (20, 24), (20, 25)):
        print(f"{p:2} with {q:2}: {positions[p] @ positions[q]:.4f}")


# %% [markdown]
# ## 5. How sharp is a row of weights?
#
# $$H(w) = -\sum_j w_j \ln w_j$$
#
# The entropy is 0 for a one-hot row and $\ln T$ for a uniform one. At $w_j = 0$ the term is 0 by its limit,
# but $\ln 0$ is not finite. Look at the gradient too.


# %%
def attention_entropy(weights):
    """Entropy over the last axis, in nats, with 0 ln 0 = 0 and finite gradients there.

    Args:
        weights: (..., T), nonnegative.

    Returns:
        (...): one entropy for each row.
    """
    ### BEGIN SOLUTION: return the entropies
    safe = weights.masked_fill(weights == 0, 1.0)
    return -(weights * safe.log()).sum(dim=-1)
    ### END SOLUTION


# %% [markdown] tags=["notebook"]
# **Predict, then run.** Eight random vectors of width 16 attend to each other. How does the mean entropy grow
# with the temperature? What is its limit?

# %% tags=["notebook"]
if __name__ == "__main__":
    torch.manual_seed(0)
    words = torch.randn(1, 8, 16)
    for temperature in (0.1, 0.5, 1.0, 2.0, 5.0, 50.0):
        _, weights = self_attention(words, temperature)
        print(f"temperature {temperature:4}: {attention_entropy(weights).mean():.4f} nats")
    print(f"the limit, ln 8:  {math.log(8):.4f} nats")
