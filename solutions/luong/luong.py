# %% [markdown]
# # Assignment 2: Luong attention
#
# Luong, Pham and Manning (2015) asked how simple a score can be. A dot product of two states is enough. The
# scores of all target positions against all source positions are then one matrix product, which computers do
# very fast.
#
# You write the three global scores, the attentional hidden state, and the local weights, which cover only the
# positions near a centre. At the end, a small translator uses them to find out how French orders its words.

# %%
import torch
from torch import nn

# %% [markdown]
# ## 1. Three scores, one layer
#
# For a decoder state $s$ (after its step) and an encoder state $h$:
#
# $$\mathrm{dot}: s^\top h \qquad \mathrm{general}: s^\top W_a h \qquad
# \mathrm{concat}: v^\top \tanh(W_a [s; h])$$
#
# `dot` has no parameters and needs states of the same width. In `general`, $W_a$ maps from the encoder's
# space to the decoder's. In `concat`, $[s; h]$ starts with the decoder state.
#
# Before you write `score`, draw the shapes. Which axes does each input have? Which axes does the result have?


# %%
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
        ### BEGIN SOLUTION: set up the chosen score, or raise ValueError
        super().__init__()
        if method not in ("dot", "general", "concat"):
            raise ValueError(f"method must be 'dot', 'general' or 'concat', not {method!r}")
        if method == "dot" and enc_dim != dec_dim:
            raise ValueError(f"a dot product needs enc_dim == dec_dim, not {enc_dim} and {dec_dim}")
        if method == "concat" and attn_dim is None:
            raise ValueError("method 'concat' needs attn_dim")
        self.method = method
        self.dims = [dec_dim, enc_dim]
        if method == "general":
            self.W_a = nn.Linear(enc_dim, dec_dim, bias=False)
        elif method == "concat":
            self.W_a = nn.Linear(dec_dim + enc_dim, attn_dim, bias=False)
            self.v = nn.Linear(attn_dim, 1, bias=False)
        ### END SOLUTION

    def score(self, decoder_states, encoder_states):
        """Score every source position for every target position.

        Args:
            decoder_states: (B, T_t, dec_dim).
            encoder_states: (B, T_s, enc_dim).

        Returns:
            Scores (B, T_t, T_s), not normalised.
        """
        ### BEGIN SOLUTION: return the scores of the chosen method
        if self.method == "concat":
            # W_a [s; h] = W_left s + W_right h: no need to build every pair [s; h].
            left, right = self.W_a.weight.split(self.dims, dim=1)
            queries = (decoder_states @ left.T).unsqueeze(2)  # (B, T_t, 1, attn_dim)
            keys = (encoder_states @ right.T).unsqueeze(1)  # (B, 1, T_s, attn_dim)
            return self.v(torch.tanh(queries + keys)).squeeze(-1)
        keys = self.W_a(encoder_states) if self.method == "general" else encoder_states
        return decoder_states @ keys.transpose(1, 2)
        ### END SOLUTION

    def forward(self, decoder_states, encoder_states):
        """Attend from every decoder state.

        Args:
            decoder_states: (B, T_t, dec_dim).
            encoder_states: (B, T_s, enc_dim).

        Returns:
            context (B, T_t, enc_dim) and weights (B, T_t, T_s), summing to 1 over the source.
        """
        ### BEGIN SOLUTION: return the context and the weights
        weights = torch.softmax(self.score(decoder_states, encoder_states), dim=-1)
        return weights @ encoder_states, weights
        ### END SOLUTION


# %% [markdown] tags=["notebook"]
# ### Predict, then run
#
# Both widths are 2, so nothing complains if `W_a` is used the wrong way round. Here $W_a$ has a single 1, in row 0 and
# column 1. Work out both scores on paper. Which scores would the wrong way round give?

# %% tags=["notebook"]
if __name__ == "__main__":
    attention = LuongAttention(enc_dim=2, dec_dim=2, method="general")
    with torch.no_grad():
        attention.W_a.weight.copy_(torch.tensor([[0.0, 1.0], [0.0, 0.0]]))
    print(attention.score(torch.tensor([[[1.0, 0.0]]]), torch.tensor([[[2.0, 0.0], [0.0, 5.0]]])))

# %% [markdown]
# ## 2. The attentional hidden state
#
# The model combines the context with the decoder state before it chooses the next word:
#
# $$\tilde{s} = \tanh(W_c [c; s])$$
#
# Here the context comes first. (In `concat`, the decoder state comes first.)


# %%
class AttentionalHidden(nn.Module):
    """Luong's attentional state: tanh(W_c [context; decoder_state])."""

    def __init__(self, enc_dim, dec_dim):
        """Make W_c, an ``nn.Linear`` from enc_dim + dec_dim to dec_dim with ``bias=False``."""
        ### BEGIN SOLUTION: set up the layer
        super().__init__()
        self.W_c = nn.Linear(enc_dim + dec_dim, dec_dim, bias=False)
        ### END SOLUTION

    def forward(self, context, decoder_states):
        """Join (B, T_t, enc_dim) and (B, T_t, dec_dim) to (B, T_t, dec_dim)."""
        ### BEGIN SOLUTION: return the new states
        return torch.tanh(self.W_c(torch.cat([context, decoder_states], dim=-1)))
        ### END SOLUTION


# %% [markdown]
# ## 3. Local attention
#
# In a long source, it is not necessary to attend to every position. Luong's local-p attention takes a centre
# $p$, a real number that the model predicts, and a half width $D$. The softmax runs only over the window
# $|j - p| \le D$, where $j$ counts from 0. Then a Gaussian reduces each weight by its distance from the
# centre:
#
# $$a_j = \mathrm{softmax}_{|j - p| \le D}(e)_j \; \exp\!\left(-\frac{(j - p)^2}{2 (D/2)^2}\right)$$
#
# The result is not normalised again, so the sum shows how near the centre the weights are. If the centre is
# far outside the sentence, the window is empty. The row is then 0, and its gradients are 0, not NaN.


# %%
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
    ### BEGIN SOLUTION: return the local weights
    positions = torch.arange(scores.size(1), dtype=scores.dtype, device=scores.device)
    distance = positions - center.unsqueeze(1)  # (B, T_s)
    outside = distance.abs() > half_width

    # The most negative finite number, not -inf: a row without positions must not become NaN.
    lowest = torch.finfo(scores.dtype).min
    weights = torch.softmax(scores.masked_fill(outside, lowest), dim=-1).masked_fill(outside, 0.0)

    sigma = half_width / 2
    return weights * torch.exp(-distance.square() / (2 * sigma**2))
    ### END SOLUTION


# %% [markdown] tags=["notebook"]
# ### Predict, then run
#
# The only large score is at position 4, and $D = 2$. With $p = 2$, that is the edge of the window. With $p = 1.75$, it
# is just outside. Which weight does position 4 get? Is its gradient with respect to $p$ positive, negative or 0?

# %% tags=["notebook"]
if __name__ == "__main__":
    scores = torch.tensor([[0.0, 0.0, 0.0, 0.0, 9.0, 0.0, 0.0]])
    for p in (2.0, 1.75):
        center = torch.tensor([p], requires_grad=True)
        weights = local_weights(scores, center, half_width=2)
        weights[0, 4].backward()
        print(weights[0, 4].item(), center.grad)

# %% [markdown]
# ## Try it
#
# Two decoder states meet four encoder states. Which source position does each of them look at?

# %%
if __name__ == "__main__":
    states = torch.eye(4).unsqueeze(0)
    context, weights = LuongAttention(4, 4)(3 * states[:, [2, 0]], states)
    print(weights)
