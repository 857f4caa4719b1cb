# %% [markdown]
# # Assignment 7: Reading attention
#
# You have a matrix of weights. What does it say, and what does it not say? Here you write the instruments: measures
# for weights, links between words, rules that name patterns and failures, gradients by hand, and two experiments that
# ask whether the weights explain an answer.
#
# Rows are target positions $t$, columns are source positions $j$. A sentence has $T$ real rows and $S$ real
# columns: its lengths. Rows after the first $T$ hold numbers too, but these count nowhere.

# %%
import math
from itertools import pairwise

import torch
from torch.nn import functional as F

PATTERNS = ("diagonal", "reordered", "many-to-one", "one-to-many", "diffuse")
FAILURES = ("none", "uniform", "over-concentrated", "drift")

# %% [markdown]
# ## 1. How sharp is a row?
#
# $$H(w) = -\sum_j w_j \ln w_j, \qquad 0 \ln 0 = 0$$
#
# A weight of exactly 0 must not give NaN, neither in the entropy nor in its gradient. Later parts use this function.


# %%
def row_entropy(weights):
    """The entropy of each row, in nats: (..., T_s) -> (...)."""
    ### BEGIN SOLUTION: return the entropy
    logarithms = weights.masked_fill(weights == 0, 1.0).log()
    return -(weights * logarithms).sum(dim=-1)
    ### END SOLUTION


def temperature_curve(scores, temperatures):
    """Weights at several temperatures, and how spread out they are.

    Args:
        scores: (B, T_t, T_s), values up to +-1e4.
        temperatures: (K,), positive.

    Returns:
        weights (K, B, T_t, T_s), the softmax of scores / temperatures[k]; and entropies (K,), the mean entropy of the
        B * T_t rows.
    """
    ### BEGIN SOLUTION: return the weights and the entropies
    weights = torch.softmax(scores / temperatures.view(-1, 1, 1, 1), dim=-1)
    return weights, row_entropy(weights).flatten(1).mean(dim=-1)
    ### END SOLUTION


# %% [markdown]
# ## 2. Measures of a sentence
#
# First two helpers. They are not graded by themselves, and you may change or drop them.


# %%
def real_positions(lengths, width):
    """(B,) -> (B, width) bool, True at the first ``lengths[b]`` positions; a helper."""
    ### BEGIN SOLUTION: return the mask
    return torch.arange(width, device=lengths.device) < lengths.unsqueeze(1)
    ### END SOLUTION


def mean_of_rows(values, tgt_lengths):
    """(B, T_t), (B,) -> (B,), the mean of the values of real rows; a helper."""
    ### BEGIN SOLUTION: return the means
    real = real_positions(tgt_lengths, values.size(1))
    return values.masked_fill(~real, 0.0).sum(dim=1) / tgt_lengths
    ### END SOLUTION


def sharpness(weights, tgt_lengths):
    """Two measures of how sharp the rows of a sentence are.

    Args:
        weights: (B, T_t, T_s).
        tgt_lengths: (B,) int64.

    Returns:
        entropy (B,) and maximum (B,): the means, over the real rows, of the row's entropy and of its largest weight.
    """
    ### BEGIN SOLUTION: return both means
    entropy = mean_of_rows(row_entropy(weights), tgt_lengths)
    return entropy, mean_of_rows(weights.amax(dim=-1), tgt_lengths)
    ### END SOLUTION


def coverage(weights, src_lengths, tgt_lengths):
    """How much weight each source word received, and how evenly.

    Args:
        weights: (B, T_t, T_s).
        src_lengths, tgt_lengths: (B,) int64.

    Returns:
        received (B, T_s): the sum of column j over the real rows, 0 from column S on.
        uniformity (B,): the entropy of received / T over the S columns, divided by ln S; 1 if S is 1.
    """
    ### BEGIN SOLUTION: return the sums and their uniformity
    real = real_positions(tgt_lengths, weights.size(1))
    received = weights.masked_fill(~real.unsqueeze(2), 0.0).sum(dim=1)
    entropy = row_entropy(received / tgt_lengths.unsqueeze(1))
    several = src_lengths > 1
    largest = src_lengths.to(weights.dtype).masked_fill(~several, math.e).log()
    return received, torch.where(several, entropy / largest, 1.0)
    ### END SOLUTION


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
    ### BEGIN SOLUTION: return the offset and the drift
    t = torch.arange(weights.size(1), dtype=weights.dtype, device=weights.device)
    j = torch.arange(weights.size(2), dtype=weights.dtype, device=weights.device)
    single = tgt_lengths == 1
    steps = (tgt_lengths - 1).to(weights.dtype).masked_fill(single, 1.0)
    diagonal = t * ((src_lengths - 1) / steps).unsqueeze(1)  # (B, T_t)
    offsets = (weights * (j - diagonal.unsqueeze(2)).abs()).sum(dim=-1)
    real = real_positions(tgt_lengths, weights.size(1))
    centered = (t - steps.unsqueeze(1) / 2).masked_fill(~real, 0.0)
    variance = centered.square().sum(dim=-1)
    slope = (centered * offsets).sum(dim=-1) / variance
    return mean_of_rows(offsets, tgt_lengths), torch.where(single, 0.0, slope)
    ### END SOLUTION


# %% [markdown] tags=["notebook"]
# ### Predict, then run
#
# Two rows look at the first of three words, one row at the last. Which words were read, and how evenly? And where is
# the diagonal of the middle row?

# %% tags=["notebook"]
if __name__ == "__main__":
    example = torch.tensor([[[1.0, 0.0, 0.0], [1.0, 0.0, 0.0], [0.0, 0.0, 1.0]]])
    print(coverage(example, torch.tensor([3]), torch.tensor([3])))
    print(diagonal_offset(example, torch.tensor([3]), torch.tensor([3])))

# %% [markdown]
# ## 3. From weights to links
#
# The peak of a row is the column of its largest weight, the first one if several are largest. With links known from
# people, the alignment error rate says how good yours are:
#
# $$\mathrm{AER} = 1 - \frac{|A \cap S| + |A \cap P|}{|A| + |S|}$$


# %%
def alignment_links(weights, src_lengths, tgt_lengths):
    """True at the peak of each real row.

    Args:
        weights: (B, T_t, T_s).
        src_lengths, tgt_lengths: (B,) int64. The peak lies in the first S columns.

    Returns:
        (B, T_t, T_s) bool.
    """
    ### BEGIN SOLUTION: return the links
    real = real_positions(tgt_lengths, weights.size(1))
    links = torch.zeros_like(weights, dtype=torch.bool)
    return links.scatter(2, weights.argmax(dim=-1, keepdim=True), real.unsqueeze(2))
    ### END SOLUTION


def alignment_error_rate(links, sure, possible):
    """1 - (|A & S| + |A & P|) / (|A| + |S|), counted over the whole batch.

    Args:
        links, sure, possible: (B, T_t, T_s) bool. A sure link is possible, also where ``possible`` lacks it.

    Returns:
        A Python float; 0.0 if there is no link and no sure link.
    """
    ### BEGIN SOLUTION: return the rate
    size = links.sum().item() + sure.sum().item()
    if size == 0:
        return 0.0
    return 1.0 - ((links & sure).sum().item() + (links & (sure | possible)).sum().item()) / size
    ### END SOLUTION


# %% [markdown]
# ## 4. Rules that name what you see
#
# The README has the two tables of rules. The first rule that holds decides.


# %%
def spread(weights, src_lengths, tgt_lengths):
    """(B, T_t, T_s), (B,), (B,) -> (B,), the mean entropy divided by ln S, 0 if S is 1; a helper."""
    ### BEGIN SOLUTION: return the spread
    largest = src_lengths.to(weights.dtype).log().masked_fill(src_lengths == 1, 1.0)
    return sharpness(weights, tgt_lengths)[0] / largest
    ### END SOLUTION


def classify_pattern(weights, src_lengths, tgt_lengths):
    """Each sentence's index in PATTERNS, by the rules in the README: (B, T_t, T_s), (B,), (B,) -> (B,) int64."""
    ### BEGIN SOLUTION: return the patterns
    _, maximum = sharpness(weights, tgt_lengths)
    wide = spread(weights, src_lengths, tgt_lengths)
    found = []
    for b, row in enumerate(weights.argmax(dim=-1).tolist()):
        columns, rows = int(src_lengths[b]), int(tgt_lengths[b])
        row = row[:rows]
        backwards = sum(later < earlier for earlier, later in pairwise(row))
        if wide[b] > 0.9:
            found.append("diffuse")
        elif maximum[b] < 0.5:
            found.append("one-to-many")
        elif 2 * len(set(row)) <= min(rows, columns):
            found.append("many-to-one")
        elif 10 * backwards > rows - 1:
            found.append("reordered")
        else:
            found.append("diagonal")
    return torch.tensor([PATTERNS.index(name) for name in found], device=weights.device)
    ### END SOLUTION


def diagnose_failure(weights, src_lengths, tgt_lengths):
    """Each sentence's index in FAILURES, by the rules in the README: (B, T_t, T_s), (B,), (B,) -> (B,) int64."""
    ### BEGIN SOLUTION: return the failures
    _, maximum = sharpness(weights, tgt_lengths)
    _, drift = diagonal_offset(weights, src_lengths, tgt_lengths)
    wide = spread(weights, src_lengths, tgt_lengths)
    most = alignment_links(weights, src_lengths, tgt_lengths).sum(dim=1).amax(dim=-1)
    alike = (2 * most > tgt_lengths) & (tgt_lengths > 1) & (src_lengths > 1)
    failures = torch.where(drift > 0.2, 3, 0)
    failures = torch.where(alike & (maximum > 0.9), 2, failures)
    return torch.where(wide > 0.9, 1, failures)
    ### END SOLUTION


# %% [markdown]
# ## 5. What attention does to the states
#
# Each position becomes a mean of all positions. So positions that read each other become alike.


# %%
def attention_geometry(x, temperature=1.0):
    """Cosine similarities before and after self-attention y = W x with W = softmax(x x^T / temperature).

    Args:
        x: (B, T, d). A row of zeros has the similarity 0 to every row, itself included.
        temperature: a positive number.

    Returns:
        before (B, T, T) and after (B, T, T): the similarities of all pairs of rows of x and of y.
        gain (B,): the mean of after - before over the pairs i != j, weighted by W; 0 if T is 1.
    """
    ### BEGIN SOLUTION: return the similarities and the gain
    weights = torch.softmax(x @ x.transpose(1, 2) / temperature, dim=-1)
    y = weights @ x
    before = F.cosine_similarity(x.unsqueeze(2), x.unsqueeze(1), dim=-1)
    after = F.cosine_similarity(y.unsqueeze(2), y.unsqueeze(1), dim=-1)
    pairs = weights.masked_fill(torch.eye(x.size(1), dtype=torch.bool, device=x.device), 0.0)
    total = pairs.sum(dim=(1, 2))
    return before, after, (pairs * (after - before)).sum(dim=(1, 2)) / total.masked_fill(total == 0, 1.0)
    ### END SOLUTION


# %% [markdown]
# ## 6. Gradients by hand
#
# The loss reaches an encoder state in two ways: through the contexts that it is part of, and through the scores that
# decide them. Without attention there is only the way through the recurrence.


# %%
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
    ### BEGIN SOLUTION: return both parts
    weights = torch.softmax(queries @ states.transpose(1, 2), dim=-1)
    contexts = weights @ states
    along = grad_contexts @ states.transpose(1, 2) - (grad_contexts * contexts).sum(dim=-1, keepdim=True)
    return weights.transpose(1, 2) @ grad_contexts, (weights * along).transpose(1, 2) @ queries
    ### END SOLUTION


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
    ### BEGIN SOLUTION: return the norms
    total = grad_states[:, -1]
    totals = [total]
    for t in reversed(range(states.size(1) - 1)):
        total = grad_states[:, t] + ((1.0 - states[:, t + 1].square()) * total) @ recurrent_weight
        totals.insert(0, total)
    return torch.stack(totals, dim=1).norm(dim=-1)
    ### END SOLUTION


# %% [markdown] tags=["notebook"]
# ### Predict, then run
#
# Both encoder states are equal. Which of the two ways back is 0, and why?

# %% tags=["notebook"]
if __name__ == "__main__":
    equal = torch.tensor([[[1.0, 2.0], [1.0, 2.0]]])
    print(gradient_paths(torch.tensor([[[0.5, -1.0]]]), equal, torch.tensor([[[3.0, 1.0]]])))

# %% [markdown]
# ## 7. Do the weights explain the answer?
#
# A classifier reads the context: $p(w) = \mathrm{softmax}(W_o \sum_j w_j h_j + b_o)$. Change the weights, and see how
# far the answer moves. The distance of two answers is their total variation, $\frac12 \sum_k |p_k - p'_k|$.


# %%
def answer_distance(weights, other, states, out_weight, out_bias):
    """(..., B, T) twice, (B, T, d), (C, d), (C,) -> (..., B), the distance of two answers; a helper."""
    ### BEGIN SOLUTION: return the total variation
    first = F.linear((weights.unsqueeze(-1) * states).sum(dim=-2), out_weight, out_bias)
    second = F.linear((other.unsqueeze(-1) * states).sum(dim=-2), out_weight, out_bias)
    return (torch.softmax(first, dim=-1) - torch.softmax(second, dim=-1)).abs().sum(dim=-1) / 2
    ### END SOLUTION


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
    ### BEGIN SOLUTION: return the distances and their median
    permuted = weights[:, permutations].transpose(0, 1)
    distances = answer_distance(weights, permuted, states, out_weight, out_bias)
    return distances, distances.median(dim=0).values
    ### END SOLUTION


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
    ### BEGIN SOLUTION: return the distances
    without = ~torch.eye(weights.size(1), dtype=torch.bool, device=weights.device).unsqueeze(1)
    kept = weights * without  # (T, B, T): the first axis counts the positions that are left out
    total = kept.sum(dim=-1, keepdim=True)
    kept = kept / total.masked_fill(total == 0, 1.0)
    return answer_distance(weights, kept, states, out_weight, out_bias).transpose(0, 1)
    ### END SOLUTION


def rank_agreement(first, second):
    """Kendall's tau: the mean of sign(first_i - first_j) * sign(second_i - second_j) over the pairs i < j.

    Args:
        first, second: (B, T).

    Returns:
        (B,) in the dtype of ``first``: a tie counts 0; 0 if T is 1.
    """
    ### BEGIN SOLUTION: return the mean over pairs
    one = (first.unsqueeze(2) - first.unsqueeze(1)).sign()
    other = (second.unsqueeze(2) - second.unsqueeze(1)).sign()
    pairs = first.size(1) * (first.size(1) - 1)
    return (one * other).sum(dim=(1, 2)) / max(pairs, 1)
    ### END SOLUTION
