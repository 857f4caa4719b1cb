# Assignment 10: Variations on attention
#
# Fill in every place marked "Your code here". The README beside this file explains each task.
# variations.ipynb is the same assignment as a notebook. Hand in the script or the notebook, not both.
# To check your work: attngrade check variations.py

import math

import torch
from torch import nn
from torch.nn import functional as F

# ---- 1. Coverage


def coverage_attention(scores, penalty):
    """Attention that avoids what earlier rows have seen.

    Args:
        scores: (B, T_t, T_s). Row t holds the scores of target position t.
        penalty: a float of at least 0, the factor of what was seen.

    Returns:
        weights (B, T_t, T_s): row t is the softmax of scores_t - penalty * seen_t.
        seen (B, T_t, T_s): row t is the sum of the weights of all rows before t, and row 0 is zeros.
    """
    # Your code here: return the weights, and what each row had seen before it.
    raise NotImplementedError


def coverage_loss(weights, seen, tgt_lengths):
    """The overlap of each row with what was seen before: sum_j min(weights_tj, seen_tj).

    Args:
        weights, seen: (B, T_t, T_s).
        tgt_lengths: (B,), the target length of each sentence. T_t may be larger than all of them.

    Returns:
        A scalar: the mean over the real rows of the whole batch.
    """
    # Your code here: return the mean overlap of the real rows.
    raise NotImplementedError


# ---- 2. Copy or generate


class PointerGenerator(nn.Module):
    """A mixture of generating a word and copying one.

    Parameters: w_c, nn.Linear(enc_dim, 1), and w_s, nn.Linear(dec_dim, 1), both with bias=False; and w_y,
    nn.Linear(emb_dim, 1), with bias.
    """

    def __init__(self, enc_dim, dec_dim, emb_dim):
        """Make the three layers."""
        super().__init__()
        # Your code here: make the three layers.
        raise NotImplementedError

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
        # Your code here: return the distribution and p_gen.
        raise NotImplementedError


# ---- 3. Several hops


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
    # Your code here: return the result of the last hop, and the weights of all hops.
    raise NotImplementedError


# ---- 4. Both directions


class BiDAF(nn.Module):
    """Attention from a context to a question, and back.

    Parameter: w, nn.Linear(3 * dim, 1), with bias=False.
    """

    def __init__(self, dim):
        """Make the layer."""
        super().__init__()
        # Your code here: make the layer.
        raise NotImplementedError

    def similarity(self, context, question):
        """S_ij = w [h_i; u_j; h_i * u_j], where * multiplies column by column.

        Args:
            context: (B, m, dim), the h_i.
            question: (B, n, dim), the u_j.

        Returns:
            (B, m, n), without masks.
        """
        # Your code here: return the table of scores.
        raise NotImplementedError

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
        # Your code here: return the four pieces side by side.
        raise NotImplementedError


# ---- 5. A feature map


class SpatialAttention(nn.Module):
    """Attention to the places of an image: the score of a place with the vector v is state . W_a v.

    Parameter: W_a, nn.Linear(feature_dim, state_dim), with bias=False.
    """

    def __init__(self, feature_dim, state_dim):
        """Make the layer."""
        super().__init__()
        # Your code here: make the layer.
        raise NotImplementedError

    def forward(self, features, state):
        """One softmax over all places of an image.

        Args:
            features: (B, feature_dim, H, W). The channels stand before the places.
            state: (B, state_dim).

        Returns:
            context (B, feature_dim), the weighted sum of the vectors of all places; and weights (B, H, W).
        """
        # Your code here: return the context and the weights.
        raise NotImplementedError


# ---- 6. A pyramid


class PyramidalEncoder(nn.Module):
    """Bidirectional GRUs, each over half as many frames as the one before.

    Parameters: rnns, an nn.ModuleList of num_layers layers nn.GRU(..., hidden_dim, batch_first=True,
    bidirectional=True), with bias. The first one reads 2 * input_dim columns, all others read 4 * hidden_dim.
    """

    def __init__(self, input_dim, hidden_dim, num_layers):
        """Make the layers."""
        super().__init__()
        # Your code here: make the list of GRUs.
        raise NotImplementedError

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
        # Your code here: return the states of the last layer, and the new lengths.
        raise NotImplementedError


# ---- 7. Supervised attention


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
    # Your code here: return the sum of both losses.
    raise NotImplementedError


# ---- 8. Monotonic attention


def monotonic_attention(scores):
    """Attention that never looks before the peak of the row before.

    Args:
        scores: (B, T_t, T_s).

    Returns:
        weights (B, T_t, T_s). Row 0 is a softmax over all positions. Row t is a softmax over the peak of row t - 1 and
        the positions after it, and exactly 0 before that peak.
    """
    # Your code here: return the weights, one row after the other.
    raise NotImplementedError


# ---- 9. A prior around the diagonal


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
    # Your code here: return the weights.
    raise NotImplementedError


# ---- 10. A memory to read and write


def memory_address(memory, key, strength):
    """The weights of the rows of a memory: softmax_i(strength * cosine(key, memory_i)).

    Args:
        memory: (B, N, d).
        key: (B, d).
        strength: (B,), one for each key.

    Returns:
        weights (B, N). The cosine with a row or a key of zeros is 0, and its gradients are finite.
    """
    # Your code here: return the weights.
    raise NotImplementedError


def memory_read(memory, weights):
    """The weighted sum of the rows of a memory: (B, N, d), (B, N) -> (B, d)."""
    # Your code here: return the weighted sum of the rows.
    raise NotImplementedError


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
    # Your code here: return the new memory.
    raise NotImplementedError


# ---- 11. Luong's score with heads


class MultiHeadLuong(nn.Module):
    """Luong's general score with heads.

    Parameters: W_a, nn.Linear(enc_dim, dec_dim), and W_o, nn.Linear(enc_dim, enc_dim), both with bias=False.

    ValueError if num_heads does not divide enc_dim, or does not divide dec_dim.
    """

    def __init__(self, enc_dim, dec_dim, num_heads):
        """Check the sizes, and make the two layers."""
        super().__init__()
        # Your code here: check the sizes and make the two layers.
        raise NotImplementedError

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
        # Your code here: return the context and the weights.
        raise NotImplementedError


# ---- 12. Retrieval


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
    # Your code here: return the output and the indices.
    raise NotImplementedError
