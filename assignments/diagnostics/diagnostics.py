# Assignment 7: Reading attention
#
# Fill in every place marked "Your code here". The README beside this file explains each task.
# diagnostics.ipynb is the same assignment as a notebook. Hand in the script or the notebook, not both.
# To check your work: attngrade check diagnostics.py

import math
from itertools import pairwise

import torch
from torch.nn import functional as F

PATTERNS = ("diagonal", "reordered", "many-to-one", "one-to-many", "diffuse")
FAILURES = ("none", "uniform", "over-concentrated", "drift")

# ---- 1. How sharp is a row?


def row_entropy(weights):
    """The entropy of each row, in nats: (..., T_s) -> (...)."""
    # Your code here: return the entropy.
    raise NotImplementedError


def temperature_curve(scores, temperatures):
    """Weights at several temperatures, and how spread out they are.

    Args:
        scores: (B, T_t, T_s), values up to +-1e4.
        temperatures: (K,), positive.

    Returns:
        weights (K, B, T_t, T_s), the softmax of scores / temperatures[k]; and entropies (K,), the mean entropy of the
        B * T_t rows.
    """
    # Your code here: return the weights and the entropies.
    raise NotImplementedError


# ---- 2. Measures of a sentence


def real_positions(lengths, width):
    """(B,) -> (B, width) bool, True at the first ``lengths[b]`` positions; a helper."""
    # Your code here: return the mask.
    raise NotImplementedError


def mean_of_rows(values, tgt_lengths):
    """(B, T_t), (B,) -> (B,), the mean of the values of real rows; a helper."""
    # Your code here: return the means.
    raise NotImplementedError


def sharpness(weights, tgt_lengths):
    """Two measures of how sharp the rows of a sentence are.

    Args:
        weights: (B, T_t, T_s).
        tgt_lengths: (B,) int64.

    Returns:
        entropy (B,) and maximum (B,): the means, over the real rows, of the row's entropy and of its largest weight.
    """
    # Your code here: return both means.
    raise NotImplementedError


def coverage(weights, src_lengths, tgt_lengths):
    """How much weight each source word received, and how evenly.

    Args:
        weights: (B, T_t, T_s).
        src_lengths, tgt_lengths: (B,) int64.

    Returns:
        received (B, T_s): the sum of column j over the real rows, 0 from column S on.
        uniformity (B,): the entropy of received / T over the S columns, divided by ln S; 1 if S is 1.
    """
    # Your code here: return the sums and their uniformity.
    raise NotImplementedError


def diagonal_offset(weights, src_lengths, tgt_lengths):
    """How far the weights lie from the diagonal, and whether that grows.

    The diagonal of row t is the column t (S - 1) / (T - 1), and 0 if T is 1. The offset of row t is
    o_t = sum_j w_tj |j - diagonal|.

    Args:
        weights: (B, T_t, T_s).
        src_lengths, tgt_lengths: (B,) int64.

    Returns:
        offset (B,): the mean of o_t over the real rows.
        drift (B,): the slope of the line fitted to the points (t, o_t) by least squares; 0 if T is 1.
    """
    # Your code here: return the offset and the drift.
    raise NotImplementedError


# ---- 3. From weights to links


def alignment_links(weights, src_lengths, tgt_lengths):
    """True at the peak of each real row.

    Args:
        weights: (B, T_t, T_s).
        src_lengths, tgt_lengths: (B,) int64. The peak lies in the first S columns.

    Returns:
        (B, T_t, T_s) bool.
    """
    # Your code here: return the links.
    raise NotImplementedError


def alignment_error_rate(links, sure, possible):
    """1 - (|A & S| + |A & P|) / (|A| + |S|), counted over the whole batch.

    Args:
        links, sure, possible: (B, T_t, T_s) bool. A sure link is possible, also where ``possible`` lacks it.

    Returns:
        A Python float; 0.0 if there is no link and no sure link.
    """
    # Your code here: return the rate.
    raise NotImplementedError


# ---- 4. Rules that name what you see


def spread(weights, src_lengths, tgt_lengths):
    """(B, T_t, T_s), (B,), (B,) -> (B,), the mean entropy divided by ln S, 0 if S is 1; a helper."""
    # Your code here: return the spread.
    raise NotImplementedError


def classify_pattern(weights, src_lengths, tgt_lengths):
    """Each sentence's index in PATTERNS, by the rules in the README: (B, T_t, T_s), (B,), (B,) -> (B,) int64."""
    # Your code here: return the patterns.
    raise NotImplementedError


def diagnose_failure(weights, src_lengths, tgt_lengths):
    """Each sentence's index in FAILURES, by the rules in the README: (B, T_t, T_s), (B,), (B,) -> (B,) int64."""
    # Your code here: return the failures.
    raise NotImplementedError


# ---- 5. What attention does to the states


def attention_geometry(x, temperature=1.0):
    """Cosine similarities before and after self-attention y = W x with W = softmax(x x^T / temperature).

    Args:
        x: (B, T, d). A row of zeros has the similarity 0 to every row, itself included.
        temperature: a positive number.

    Returns:
        before (B, T, T) and after (B, T, T): the similarities of all pairs of rows of x and of y.
        gain (B,): the mean of after - before over the pairs i != j, weighted by W; 0 if T is 1.
    """
    # Your code here: return the similarities and the gain.
    raise NotImplementedError


# ---- 6. Gradients by hand


def gradient_paths(queries, states, grad_contexts):
    """dL/dh_j of c_t = sum_j a_tj h_j with a_t = softmax_j(q_t . h_j), in two parts.

    Args:
        queries: (B, T_t, d).
        states: (B, T_s, d), the h_j.
        grad_contexts: (B, T_t, d), the gradients g_t = dL/dc_t.

    Returns:
        direct (B, T_s, d): sum_t a_tj g_t.
        indirect (B, T_s, d): sum_t a_tj (g_t . h_j - g_t . c_t) q_t. By hand: no autograd.
    """
    # Your code here: return both parts.
    raise NotImplementedError


def gradient_norms(states, recurrent_weight, grad_states):
    """Norms of dL/dh_t of the recurrence h_t = tanh(W h_{t-1} + ...).

    total_t = grad_states_t + W^T ((1 - h_{t+1}^2) * total_{t+1}), and total = grad_states at the last position.

    Args:
        states: (B, T, d).
        recurrent_weight: (d, d), the W.
        grad_states: (B, T, d), what reaches each state from outside the recurrence.

    Returns:
        (B, T): the Euclidean norms of the totals, with a finite gradient where a total is 0. By hand: no autograd.
    """
    # Your code here: return the norms.
    raise NotImplementedError


# ---- 7. Do the weights explain the answer?


def answer_distance(weights, other, states, out_weight, out_bias):
    """(..., B, T) twice, (B, T, d), (C, d), (C,) -> (..., B), the distance of two answers; a helper."""
    # Your code here: return the total variation.
    raise NotImplementedError


def permutation_test(weights, states, out_weight, out_bias, permutations):
    """How far the answer moves when the weights change places and the states do not.

    Args:
        weights: (B, T).
        states: (B, T, d).
        out_weight, out_bias: (C, d) and (C,).
        permutations: (N, T) int64, N odd: permutation n gives the weights w'_j = w_{permutations[n, j]}.

    Returns:
        distances (N, B) and their median over the permutations (B,).
    """
    # Your code here: return the distances and their median.
    raise NotImplementedError


def ablation_effects(weights, states, out_weight, out_bias):
    """How far the answer moves without each position.

    Without j, its weight is 0, and the other weights are divided by their sum. If that is 0, all weights are 0.

    Args:
        weights: (B, T).
        states: (B, T, d).
        out_weight, out_bias: (C, d) and (C,).

    Returns:
        (B, T): the distances.
    """
    # Your code here: return the distances.
    raise NotImplementedError


def rank_agreement(first, second):
    """Kendall's tau: the mean of sign(first_i - first_j) * sign(second_i - second_j) over the pairs i < j.

    Args:
        first, second: (B, T).

    Returns:
        (B,) in the dtype of ``first``: a tie counts 0; 0 if T is 1.
    """
    # Your code here: return the mean over pairs.
    raise NotImplementedError
