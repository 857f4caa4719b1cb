# %% [markdown]
# # Assignment 10: Variations on attention
#
# Attention scores positions, turns the scores into weights, and averages. Many papers change one of these three steps,
# or what comes before and after them. Here you build what they built.
#
# Each part stands alone: no part uses another one. Your course may leave some out. A part with 0 points need not be
# written.
#
# All tensors are batch first. In a boolean mask, `True` means "may be attended to". Lengths are int64 and at least 1.
# A row of weights is *real* if its target position is below the target length of its sentence. Positions count from 0.

# %%
import math

import torch
from torch import nn
from torch.nn import functional as F

# %% [markdown]
# ## 1. Coverage
#
# A decoder may read one word twice and another one never. So it keeps the sum of its earlier weights, and pays for
# what it has seen:
#
# $$\alpha_t = \mathrm{softmax}(e_t - \lambda c_t), \qquad c_t = \sum_{t' < t} \alpha_{t'}$$


# %%
def coverage_attention(scores, penalty):
    """Attention that avoids what earlier rows have seen.

    Args:
        scores: (B, T_t, T_s). Row t holds the scores of target position t.
        penalty: a float of at least 0, the factor of what was seen.

    Returns:
        weights (B, T_t, T_s): row t is the softmax of scores_t - penalty * seen_t.
        seen (B, T_t, T_s): row t is the sum of the weights of all rows before t, and row 0 is zeros.
    """
    ### BEGIN SOLUTION: return the weights, and what each row had seen before it
    seen = torch.zeros_like(scores[:, 0])
    weights, coverage = [], []
    for t in range(scores.size(1)):
        row = torch.softmax(scores[:, t] - penalty * seen, dim=-1)
        weights.append(row)
        coverage.append(seen)
        seen = seen + row
    return torch.stack(weights, dim=1), torch.stack(coverage, dim=1)
    ### END SOLUTION


def coverage_loss(weights, seen, tgt_lengths):
    """The overlap of each row with what was seen before: sum_j min(weights_tj, seen_tj).

    Args:
        weights, seen: (B, T_t, T_s).
        tgt_lengths: (B,), the target length of each sentence. T_t may be larger than all of them.

    Returns:
        A scalar: the mean over the real rows of the whole batch.
    """
    ### BEGIN SOLUTION: return the mean overlap of the real rows
    overlap = torch.minimum(weights, seen).sum(dim=-1)  # (B, T_t)
    real = torch.arange(weights.size(1), device=weights.device) < tgt_lengths.unsqueeze(1)
    return overlap[real].mean()
    ### END SOLUTION


# %% [markdown] tags=["notebook"]
# ### Predict, then run
#
# The scores are 0 everywhere, except for one word with the score 2. Which weight does this word have in the rows 0 to
# 4, with a penalty of 1?

# %% tags=["notebook"]
if __name__ == "__main__":
    print(coverage_attention(torch.tensor([[[2.0, 0.0, 0.0]] * 5]), 1.0)[0][0, :, 0])

# %% [markdown]
# ## 2. Copy or generate
#
# A pointer-generator mixes two distributions over an *extended* vocabulary. Ids from V on stand for source words that
# the vocabulary lacks.
#
# $$P(w) = p_{gen} \, P_{vocab}(w) + (1 - p_{gen}) \sum_{j : x_j = w} \alpha_j$$


# %%
class PointerGenerator(nn.Module):
    """A mixture of generating a word and copying one.

    Parameters: w_c, nn.Linear(enc_dim, 1), and w_s, nn.Linear(dec_dim, 1), both with bias=False; and w_y,
    nn.Linear(emb_dim, 1), with bias.
    """

    def __init__(self, enc_dim, dec_dim, emb_dim):
        """Make the three layers."""
        super().__init__()
        ### BEGIN SOLUTION: make the three layers
        self.w_c = nn.Linear(enc_dim, 1, bias=False)
        self.w_s = nn.Linear(dec_dim, 1, bias=False)
        self.w_y = nn.Linear(emb_dim, 1)
        ### END SOLUTION

    def forward(self, context, state, embedded, vocab_probs, weights, src_ids, extended_size):
        """p_gen = sigmoid(w_c context + w_s state + w_y embedded), and the distribution over all ids.

        Args:
            context: (B, enc_dim).
            state: (B, dec_dim).
            embedded: (B, emb_dim), the embedding of the last word.
            vocab_probs: (B, V), the probabilities of the words of the vocabulary.
            weights: (B, T_s), the attention to the source.
            src_ids: (B, T_s) int64, each below extended_size. A word may occur several times in the source.
            extended_size: an int of at least V.

        Returns:
            distribution (B, extended_size): p_gen times vocab_probs, which is 0 for ids from V on, plus 1 - p_gen
            times the sum of the weights of the source positions that hold the id.
            p_gen (B,).
        """
        ### BEGIN SOLUTION: return the distribution and p_gen
        p_gen = torch.sigmoid(self.w_c(context) + self.w_s(state) + self.w_y(embedded))  # (B, 1)
        generated = F.pad(p_gen * vocab_probs, (0, extended_size - vocab_probs.size(1)))
        return generated.scatter_add(1, src_ids, (1 - p_gen) * weights), p_gen.squeeze(1)
        ### END SOLUTION


# %% [markdown]
# ## 3. Several hops
#
# A memory network asks again with what it has found.


# %%
def multi_hop(query, memory, hops):
    """Attention to one memory, several times in turn.

    Args:
        query: (B, d). It is m_0.
        memory: (B, T, d). It stays the same in all hops.
        hops: the number of hops. Below 1: ValueError.

    Returns:
        result (B, d): m_k of the last hop, where m_k = sum_j weights_kj memory_j.
        weights (B, hops, T): row k - 1 holds weights_k, the softmax over j of m_{k-1} . memory_j, without a scale.
    """
    ### BEGIN SOLUTION: return the result of the last hop, and the weights of all hops
    if hops < 1:
        raise ValueError("hops must be at least 1")
    weights = []
    for _ in range(hops):
        row = torch.softmax((memory @ query.unsqueeze(2)).squeeze(2), dim=-1)
        query = (row.unsqueeze(1) @ memory).squeeze(1)
        weights.append(row)
    return query, torch.stack(weights, dim=1)
    ### END SOLUTION


# %% [markdown]
# ## 4. Both directions
#
# BiDAF reads a context with a question in mind. One table of scores is used in both directions. Each context word
# attends to the question. And the question picks the context words that matter to at least one of its words.


# %%
class BiDAF(nn.Module):
    """Attention from a context to a question, and back.

    Parameter: w, nn.Linear(3 * dim, 1), with bias=False.
    """

    def __init__(self, dim):
        """Make the layer."""
        super().__init__()
        ### BEGIN SOLUTION: make the layer
        self.w = nn.Linear(3 * dim, 1, bias=False)
        ### END SOLUTION

    def similarity(self, context, question):
        """S_ij = w [h_i; u_j; h_i * u_j], where * multiplies column by column.

        Args:
            context: (B, m, dim), the h_i.
            question: (B, n, dim), the u_j.

        Returns:
            (B, m, n), without masks.
        """
        ### BEGIN SOLUTION: return the table of scores
        h = context.unsqueeze(2).expand(-1, -1, question.size(1), -1)
        u = question.unsqueeze(1).expand(-1, context.size(1), -1, -1)
        return self.w(torch.cat([h, u, h * u], dim=-1)).squeeze(-1)
        ### END SOLUTION

    def forward(self, context, question, context_mask, question_mask):
        """Each context word with what it found, in both directions. Words are real where their mask is True.

        To the question: u~_i = sum_j a_ij u_j, where a_i is the softmax of S_ij over the real j.
        To the context: h~ = sum_i b_i h_i, one for each sentence. b is the softmax, over the real i, of the largest
        S_ij over the real j.

        Args:
            context: (B, m, dim).
            question: (B, n, dim).
            context_mask: (B, m) bool, with at least one True in every row.
            question_mask: (B, n) bool, with at least one True in every row.

        Returns:
            (B, m, 4 * dim): row i is [h_i; u~_i; h_i * u~_i; h_i * h~]. Rows of padding are exactly 0.
        """
        ### BEGIN SOLUTION: return the four pieces side by side
        scores = self.similarity(context, question).masked_fill(~question_mask.unsqueeze(1), -torch.inf)
        asked = torch.softmax(scores, dim=-1) @ question  # (B, m, dim)
        largest = scores.amax(dim=-1).masked_fill(~context_mask, -torch.inf)
        found = torch.softmax(largest, dim=-1).unsqueeze(1) @ context  # (B, 1, dim)
        joined = torch.cat([context, asked, context * asked, context * found], dim=-1)
        return joined.masked_fill(~context_mask.unsqueeze(2), 0.0)
        ### END SOLUTION


# %% [markdown]
# ## 5. A feature map
#
# An image has places in place of words. A convolution gives each place a vector.


# %%
class SpatialAttention(nn.Module):
    """Attention to the places of an image: the score of a place with the vector v is state . W_a v.

    Parameter: W_a, nn.Linear(feature_dim, state_dim), with bias=False.
    """

    def __init__(self, feature_dim, state_dim):
        """Make the layer."""
        super().__init__()
        ### BEGIN SOLUTION: make the layer
        self.W_a = nn.Linear(feature_dim, state_dim, bias=False)
        ### END SOLUTION

    def forward(self, features, state):
        """One softmax over all places of an image.

        Args:
            features: (B, feature_dim, H, W). The channels stand before the places.
            state: (B, state_dim).

        Returns:
            context (B, feature_dim), the weighted sum of the vectors of all places; and weights (B, H, W).
        """
        ### BEGIN SOLUTION: return the context and the weights
        places = features.flatten(2).transpose(1, 2)  # (B, H * W, feature_dim)
        scores = (self.W_a(places) @ state.unsqueeze(2)).squeeze(2)
        weights = torch.softmax(scores, dim=-1)
        return (weights.unsqueeze(1) @ places).squeeze(1), weights.unflatten(1, features.shape[2:])
        ### END SOLUTION


# %% [markdown]
# ## 6. A pyramid
#
# A second of speech has 100 frames, but only a few letters. Each layer of a pyramid halves the number of frames, so
# that attention has fewer of them to choose from.


# %%
class PyramidalEncoder(nn.Module):
    """Bidirectional GRUs, each over half as many frames as the one before.

    Parameters: rnns, an nn.ModuleList of num_layers layers nn.GRU(..., hidden_dim, batch_first=True,
    bidirectional=True), with bias. The first one reads 2 * input_dim columns, all others read 4 * hidden_dim.
    """

    def __init__(self, input_dim, hidden_dim, num_layers):
        """Make the layers."""
        super().__init__()
        ### BEGIN SOLUTION: make the list of GRUs
        widths = [2 * input_dim] + [4 * hidden_dim] * (num_layers - 1)
        self.rnns = nn.ModuleList(nn.GRU(width, hidden_dim, batch_first=True, bidirectional=True) for width in widths)
        ### END SOLUTION

    def forward(self, frames, lengths):
        """Before each layer, the frames 2i and 2i + 1 become one, side by side.

        If a sentence has an odd number of frames, its last one stands beside a frame of zeros. So a length n becomes
        (n + 1) // 2 in each layer, and T becomes T' in the same way.

        Args:
            frames: (B, T, input_dim). What stands in the padding must not matter.
            lengths: (B,). T may be larger than all of them.

        Returns:
            states (B, T', 2 * hidden_dim), exactly 0 from the new length of a sentence on; and the new lengths (B,),
            int64.
        """
        ### BEGIN SOLUTION: return the states of the last layer, and the new lengths
        states = frames
        for rnn in self.rnns:
            width = states.size(1)
            real = torch.arange(width, device=states.device) < lengths.unsqueeze(1)
            states = states.masked_fill(~real.unsqueeze(2), 0.0)
            states = F.pad(states, (0, 0, 0, width % 2))  # an odd width gets a frame of zeros
            states = states.reshape(states.size(0), -1, 2 * states.size(2))
            lengths = (lengths + 1) // 2
            packed = nn.utils.rnn.pack_padded_sequence(states, lengths.cpu(), batch_first=True, enforce_sorted=False)
            states, _ = nn.utils.rnn.pad_packed_sequence(rnn(packed)[0], batch_first=True, total_length=states.size(1))
        return states, lengths
        ### END SOLUTION


# %% [markdown]
# ## 7. Supervised attention
#
# Somebody has marked which source words belong to a target word. These gold weights can teach the attention directly.


# %%
def supervised_loss(task_loss, weights, gold, tgt_lengths, factor):
    """The loss of the task, and the distance of the weights from the gold weights.

    Args:
        task_loss: a scalar.
        weights, gold: (B, T_t, T_s).
        tgt_lengths: (B,), the target length of each sentence. T_t may be larger than all of them.
        factor: a float, the factor of the distance.

    Returns:
        A scalar: task_loss + factor * the mean, over the real rows of the whole batch, of
        sum_j (weights_tj - gold_tj)^2.
    """
    ### BEGIN SOLUTION: return the sum of both losses
    distance = ((weights - gold) ** 2).sum(dim=-1)  # (B, T_t)
    real = torch.arange(weights.size(1), device=weights.device) < tgt_lengths.unsqueeze(1)
    return task_loss + factor * distance[real].mean()
    ### END SOLUTION


# %% [markdown]
# ## 8. Monotonic attention
#
# A listener does not go back. The *peak* of a row is the position of its largest weight, the first one if
# several weights are equal. The next row sees the peak and what follows it.


# %%
def monotonic_attention(scores):
    """Attention that never looks before the peak of the row before.

    Args:
        scores: (B, T_t, T_s).

    Returns:
        weights (B, T_t, T_s). Row 0 is a softmax over all positions. Row t is a softmax over the peak of row t - 1 and
        the positions after it, and exactly 0 before that peak.
    """
    ### BEGIN SOLUTION: return the weights, one row after the other
    places = torch.arange(scores.size(2), device=scores.device)
    border = torch.zeros(scores.size(0), 1, dtype=torch.int64, device=scores.device)
    rows = []
    for t in range(scores.size(1)):
        row = torch.softmax(scores[:, t].masked_fill(places < border, -torch.inf), dim=-1)
        border = row.argmax(dim=-1, keepdim=True)
        rows.append(row)
    return torch.stack(rows, dim=1)
    ### END SOLUTION


# %% [markdown]
# ## 9. A prior around the diagonal
#
# A translation often follows its source from the first word to the last one. So a weight is likely near the diagonal,
# stretched to the lengths of the two sentences.


# %%
def diagonal_prior_attention(scores, src_lengths, tgt_lengths, sigma):
    """Attention that prefers places near the diagonal.

    With S and T, the source and target length of a sentence, the score of (t, j) grows by
    exp(-(j - t * S / T)^2 / (2 * sigma^2)).

    Args:
        scores: (B, T_t, T_s).
        src_lengths, tgt_lengths: (B,). T_s and T_t may be larger than all of them.
        sigma: a float above 0, the width of the prior.

    Returns:
        weights (B, T_t, T_s). A real row is a softmax over the first S columns, and exactly 0 from column S on. Rows
        that are not real are exactly 0.
    """
    ### BEGIN SOLUTION: return the weights
    source = src_lengths.view(-1, 1, 1)
    target = tgt_lengths.view(-1, 1, 1)
    j = torch.arange(scores.size(2), device=scores.device)
    t = torch.arange(scores.size(1), device=scores.device).unsqueeze(1)
    distance = j - (t * source).to(scores.dtype) / target  # (B, T_t, T_s)
    scores = scores + torch.exp(-(distance**2) / (2 * sigma**2))
    weights = torch.softmax(scores.masked_fill(j >= source, -torch.inf), dim=-1)
    return weights.masked_fill(t >= target, 0.0)
    ### END SOLUTION


# %% [markdown]
# ## 10. A memory to read and write
#
# A neural Turing machine finds the rows of its memory by content, and changes them by the same weights.


# %%
def memory_address(memory, key, strength):
    """The weights of the rows of a memory: softmax_i(strength * cosine(key, memory_i)).

    Args:
        memory: (B, N, d).
        key: (B, d).
        strength: (B,), one for each key.

    Returns:
        weights (B, N). The cosine with a row or a key of zeros is 0, and its gradients are finite.
    """
    ### BEGIN SOLUTION: return the weights
    similarity = F.cosine_similarity(key.unsqueeze(1), memory, dim=-1)  # (B, N)
    return torch.softmax(strength.unsqueeze(1) * similarity, dim=-1)
    ### END SOLUTION


def memory_read(memory, weights):
    """The weighted sum of the rows of a memory: (B, N, d), (B, N) -> (B, d)."""
    ### BEGIN SOLUTION: return the weighted sum of the rows
    return (weights.unsqueeze(1) @ memory).squeeze(1)
    ### END SOLUTION


def memory_write(memory, weights, erase, add):
    """A memory after its rows were erased, and then added to, as far as their weights say.

    Args:
        memory: (B, N, d). It stays as it is.
        weights: (B, N).
        erase: (B, d), from 0 to 1 in each column.
        add: (B, d).

    Returns:
        A new tensor (B, N, d): row i is memory_i * (1 - weights_i * erase) + weights_i * add.
    """
    ### BEGIN SOLUTION: return the new memory
    weights = weights.unsqueeze(2)
    return memory * (1 - weights * erase.unsqueeze(1)) + weights * add.unsqueeze(1)
    ### END SOLUTION


# %% [markdown]
# ## 11. Luong's score with heads
#
# The general score is $s^\top W_a h$. Cut both sides of it into heads, and each head has weights of its own.


# %%
class MultiHeadLuong(nn.Module):
    """Luong's general score with heads.

    Parameters: W_a, nn.Linear(enc_dim, dec_dim), and W_o, nn.Linear(enc_dim, enc_dim), both with bias=False.

    ValueError if num_heads does not divide enc_dim, or does not divide dec_dim.
    """

    def __init__(self, enc_dim, dec_dim, num_heads):
        """Check the sizes, and make the two layers."""
        super().__init__()
        ### BEGIN SOLUTION: check the sizes and make the two layers
        if enc_dim % num_heads or dec_dim % num_heads:
            raise ValueError("num_heads must divide enc_dim and dec_dim")
        self.num_heads = num_heads
        self.W_a = nn.Linear(enc_dim, dec_dim, bias=False)
        self.W_o = nn.Linear(enc_dim, enc_dim, bias=False)
        ### END SOLUTION

    def forward(self, decoder_states, encoder_states):
        """Every head scores, and averages, with columns of its own.

        With k = dec_dim / num_heads, head i scores the columns i*k to (i+1)*k of the decoder states against the same
        columns of W_a h, without a scale. With e = enc_dim / num_heads, it averages the columns i*e to (i+1)*e of
        the encoder states. The heads stand side by side, in order, before W_o.

        Args:
            decoder_states: (B, T_t, dec_dim).
            encoder_states: (B, T_s, enc_dim).

        Returns:
            context (B, T_t, enc_dim), after W_o; and weights (B, num_heads, T_t, T_s).
        """
        ### BEGIN SOLUTION: return the context and the weights
        query = decoder_states.unflatten(2, (self.num_heads, -1)).transpose(1, 2)  # (B, num_heads, T_t, k)
        key = self.W_a(encoder_states).unflatten(2, (self.num_heads, -1)).transpose(1, 2)
        value = encoder_states.unflatten(2, (self.num_heads, -1)).transpose(1, 2)
        weights = torch.softmax(query @ key.transpose(2, 3), dim=-1)
        return self.W_o((weights @ value).transpose(1, 2).flatten(2)), weights
        ### END SOLUTION


# %% [markdown]
# ## 12. Retrieval
#
# A store holds far more keys than a model can read. So each query takes the values of its best keys only.


# %%
def top_k_retrieval(query, keys, values, k):
    """Attention to the k best keys of each query.

    Args:
        query: (B, T_q, d_k).
        keys: (B, N, d_k).
        values: (B, N, d_v).
        k: the number of keys to keep. Below 1 or above N: ValueError.

    Returns:
        output (B, T_q, d_v): the values of the k keys with the largest query . key, weighed by a softmax over these k
        scores alone, which are divided by sqrt(d_k).
        indices (B, T_q, k), int64: where these keys stand, from the largest score on.
    """
    ### BEGIN SOLUTION: return the output and the indices
    if not 1 <= k <= keys.size(1):
        raise ValueError("k must be at least 1, and at most the number of keys")
    scores, indices = (query @ keys.transpose(1, 2)).topk(k, dim=-1)
    weights = torch.softmax(scores / math.sqrt(query.size(-1)), dim=-1)
    batch = torch.arange(values.size(0), device=values.device).view(-1, 1, 1)
    chosen = values[batch, indices]  # (B, T_q, k, d_v)
    return (weights.unsqueeze(2) @ chosen).squeeze(2), indices
    ### END SOLUTION


# %% [markdown] tags=["notebook"]
# ### Predict, then run
#
# The scores of five keys are 4, 3, 0, 0 and 0, with `d_k` 1. How much does the best key gain if only two keys are
# kept?

# %% tags=["notebook"]
if __name__ == "__main__":
    keys = torch.tensor([[[4.0], [3.0], [0.0], [0.0], [0.0]]])
    for k in (5, 2):
        print(k, top_k_retrieval(torch.ones(1, 1, 1), keys, torch.eye(5).unsqueeze(0), k)[0][0, 0, 0])
