# %% [markdown]
# # Assignment 9: The bottleneck in numbers
#
# An encoder squeezes a sentence into one vector. How much fits in, what gets lost, and how far must a gradient travel?
# Here you compute it: contexts and costs, information in bits, and the path of the gradient. Then you answer for
# numbers that only you have.
#
# Some functions take tensors. The others take plain Python numbers and return plain Python numbers. All logarithms
# are to base 2.

# %%
import hashlib
import math
import re
from typing import NamedTuple

import torch

# %% [markdown]
# ## Given: your token and your numbers
#
# Use this part, and do not change it, except for the line with your token. The grader always uses its own copy.

# %%
TOKEN = ""  # your course gives you this line; without one, you have the numbers of the empty token


class Own(NamedTuple):
    """The numbers of one student."""

    width: int
    bits: int
    source_length: int
    target_length: int
    vocabulary: int
    gamma: float
    heads: int
    layers: int
    flip: float


FIELDS = {
    "width": (128, 256, 384, 512, 768, 1024),
    "bits": (8, 16, 32),
    "source_length": range(20, 101),
    "target_length": range(20, 101),
    "vocabulary": range(2000, 60001, 1000),
    "gamma": [hundredths / 100 for hundredths in range(40, 96)],
    "heads": (4, 8, 12, 16),
    "layers": range(2, 25),
    "flip": [hundredths / 100 for hundredths in range(1, 50)],
}


def token_seed(token):
    """Return the seed of a token: 16 hexadecimal digits, zeros if the token can't be read."""
    form = r"attngrade1\.[a-z][a-z0-9_]*\.[A-Za-z0-9_-]*\.([0-9a-f]{16})\.([0-9a-f]{32})?"
    found = re.fullmatch(form, token) if isinstance(token, str) else None
    return found.group(1) if found else "0" * 16


def token_draw(token, name):
    """Return a large number that follows from the token's seed and a name."""
    return int(hashlib.sha256(f"{token_seed(token)}.{name}".encode()).hexdigest(), 16)


def own_numbers(token):
    """Return the numbers that belong to a token, an ``Own``."""
    return Own(*(choices[token_draw(token, name) % len(choices)] for name, choices in FIELDS.items()))


# %% [markdown]
# ## Given: the quiz
#
# Each student sees the options in an order of their own. Print your questions with the cell below the list.

# %%
QUESTIONS = (
    (
        "What is the bottleneck of an encoder-decoder model without attention?",
        (
            "The decoder writes only one word of the target at a time.",
            "The vocabulary of the target language has a fixed size.",
            "One vector of fixed size carries the whole source sentence.",
            "The encoder reads the source sentence in one direction.",
        ),
    ),
    (
        "What is a query compared with to get a score?",
        (
            "With the key of each source position",
            "With the value of each source position",
            "With the weight of each source position",
            "With the context of each source position",
        ),
    ),
    (
        "Which formula is scaled dot-product attention?",
        (
            "softmax(Q V^T / sqrt(d_k)) K",
            "softmax(Q K^T) V / sqrt(d_k)",
            "softmax(K V^T / sqrt(d_k)) Q",
            "softmax(Q K^T / sqrt(d_k)) V",
        ),
    ),
    (
        "Why are dot products divided by the square root of the width?",
        (
            "They have to add up to 1 before the softmax can be applied to them.",
            "They spread more in wide vectors, and softmax would get too sharp.",
            "The values need the same length as the keys, or sums would fail.",
            "The number of positions would otherwise change the context's size.",
        ),
    ),
    (
        "What does softmax make of the scores of one query?",
        (
            "Weights from -1 to 1 with mean 0",
            "Positive weights that add up to 1",
            "A 1 for the best, 0 for all others",
            "The same scores, in falling order",
        ),
    ),
    (
        "What is the difference between keys and values?",
        (
            "Keys come from the decoder, and values come from the encoder.",
            "Keys are learned in training, and values are fixed before it.",
            "Keys belong to real words, and values belong to the padding.",
            "Keys decide where to look, and values are what is read there.",
        ),
    ),
    (
        "Why do long sentences suffer most from a single context vector?",
        (
            "More must fit into a vector that does not grow.",
            "They hold more words than the vocabulary does.",
            "The softmax over target words takes too long.",
            "Their last word can't be seen by the decoder.",
        ),
    ),
    (
        "What does a decoder with attention read at each of its steps?",
        (
            "The last encoder state, at each step",
            "The encoder state of the same place",
            "A new mixture of all encoder states",
            "A mean of the states, always the same",
        ),
    ),
    (
        "A sequence gets twice as long. How many weights does self-attention have then?",
        (
            "Twice as many as before it",
            "Exactly as many as before it",
            "Eight times as many as before",
            "Four times as many as before",
        ),
    ),
    (
        "What does self-attention compute in parallel, but a recurrence only one by one?",
        (
            "The new states of all positions",
            "The words of an unknown target",
            "The layers that follow another",
            "The steps of a training run",
        ),
    ),
    (
        "All scores of a query are equal. What is its context?",
        ("The sum of all values", "The first of the values", "The mean of all values", "A vector of zeros only"),
    ),
    (
        "The inputs of self-attention without positions are shuffled. What do the outputs do?",
        (
            "They stay exactly where they were.",
            "They are shuffled in the same way.",
            "They all become equal to another.",
            "They lose the order of their axes.",
        ),
    ),
)


def quiz_questions(token):
    """Return the 12 questions, each with its 4 options in the order of this token."""
    return tuple(
        (question, tuple(sorted(options, key=lambda option: token_draw(token, f"{question} {option}"))))
        for question, options in QUESTIONS
    )


# %% tags=["notebook"]
if __name__ == "__main__":
    for number, (question, options) in enumerate(quiz_questions(TOKEN), start=1):
        print(
            f"{number}. {question}",
            *(f"   {letter}: {option}" for letter, option in zip("ABCD", options, strict=True)),
            sep="\n",
        )

# %% tags=["notebook"]
if __name__ == "__main__":
    print(own_numbers(TOKEN))

# %% [markdown]
# ## 1. Contexts and costs
#
# If all scores are equal, all weights are $1/T$. What is the context then?


# %%
def uniform_context(states):
    """The context of equal weights: (B, T, d) -> context (B, d), weights (B, T)."""
    ### BEGIN SOLUTION: return the context and the weights
    weights = torch.ones_like(states[:, :, 0]) / states.size(1)
    return (weights.unsqueeze(-1) * states).sum(dim=1), weights
    ### END SOLUTION


def weight_of_dot(dim):
    """An int -> (dim, dim) float32, the W for which the score s^T W h is the score s^T h."""
    ### BEGIN SOLUTION: return the matrix
    return torch.eye(dim)
    ### END SOLUTION


def score_multiplications(kind, length, dim, attn_dim=None):
    """Multiplications for the scores of one decoder step.

    Args:
        kind: "additive", "dot" or "general"; ValueError for another one.
        length: number of source positions.
        dim: width of encoder and decoder states.
        attn_dim: width inside the additive score.

    Returns:
        An int. Additive projects both states for each position. General projects the query once.
    """
    ### BEGIN SOLUTION: return the number of multiplications
    if kind == "additive":
        return length * (dim * attn_dim * 2 + attn_dim)
    if kind == "dot":
        return length * dim
    if kind == "general":
        return dim**2 + length * dim
    raise ValueError(f"unknown kind of score: {kind}")
    ### END SOLUTION


def attention_bytes(length, heads=1, layers=1, bytes_per_number=4):
    """Bytes of all attention matrices of a model: one (length, length) for each head of each layer; ints -> int."""
    ### BEGIN SOLUTION: return the bytes
    numbers = length**2 * heads * layers
    return numbers * bytes_per_number
    ### END SOLUTION


# %% [markdown] tags=["notebook"]
# ### Predict, then run
#
# Twice as many positions: how many times as many bytes?

# %% tags=["notebook"]
if __name__ == "__main__":
    print(attention_bytes(2000) / attention_bytes(1000))

# %% [markdown]
# ## 2. Information in bits
#
# $$H(p) = -\sum_i p_i \log_2 p_i, \qquad 0 \log_2 0 = 0$$
#
# A probability of exactly 0 must not give NaN, neither in a result nor in a gradient.


# %%
def entropy_bits(probabilities):
    """The entropy in bits along the last axis: (..., n) -> (...)."""
    ### BEGIN SOLUTION: return the entropy
    logarithms = torch.where(probabilities > 0, probabilities, torch.ones_like(probabilities)).log2()
    return -(probabilities * logarithms).sum(dim=-1)
    ### END SOLUTION


def conditional_entropy(joint):
    """H(X | Y) in bits: (n, m) -> scalar tensor. X is along the rows: ``joint[x, y]``."""
    ### BEGIN SOLUTION: return the conditional entropy
    both = entropy_bits(joint.reshape(-1))
    return both - entropy_bits(joint.sum(dim=0))
    ### END SOLUTION


def mutual_information(joint):
    """I(X; Y) in bits: (n, m) -> scalar tensor."""
    ### BEGIN SOLUTION: return the mutual information
    of_x, of_y = entropy_bits(joint.sum(dim=1)), entropy_bits(joint.sum(dim=0))
    return of_x + of_y - entropy_bits(joint.reshape(-1))
    ### END SOLUTION


def processing_chain(joint, channel):
    """What is left of the information after a second step.

    Args:
        joint: (n, m), p(x, y).
        channel: (m, k), p(z | y): each row sums to 1. Z depends on X only through Y.

    Returns:
        I(X; Y) and I(X; Z) in bits, two scalar tensors.
    """
    ### BEGIN SOLUTION: return both
    after = joint @ channel
    return mutual_information(joint), mutual_information(after)
    ### END SOLUTION


def binary_channel_capacity(flip):
    """Bits a symbol of a channel that flips a bit with this probability: a float from 0 to 1 -> 1 - H(flip)."""
    ### BEGIN SOLUTION: return the capacity
    if flip in (0, 1):
        return 1.0
    return 1.0 + flip * math.log2(flip) + (1.0 - flip) * math.log2(1.0 - flip)
    ### END SOLUTION


def context_capacity(width, bits):
    """The most bits that a context of ``width`` numbers of ``bits`` bits holds; ints -> int."""
    ### BEGIN SOLUTION: return the bits
    return width * bits
    ### END SOLUTION


def bits_per_token(vocabulary):
    """Bits of one token if all words are equally likely: an int >= 1 -> float."""
    ### BEGIN SOLUTION: return the bits
    return math.log2(vocabulary)
    ### END SOLUTION


def longest_lossless(width, bits, vocabulary):
    """The largest number of tokens whose bits fit into the context; ints -> int, ``vocabulary`` >= 2."""
    ### BEGIN SOLUTION: return the number of tokens
    return math.floor(context_capacity(width, bits) / bits_per_token(vocabulary))
    ### END SOLUTION


# %% [markdown] tags=["notebook"]
# ### Predict, then run
#
# A context of 512 numbers of 32 bits, and 30,000 words. How many tokens fit in, at most?

# %% tags=["notebook"]
if __name__ == "__main__":
    print(longest_lossless(512, 32, 30000))

# %% [markdown]
# ## 3. The path of the gradient
#
# A recurrence passes a gradient on from step to step. Each step scales it. How long is the way, and what arrives?


# %%
def path_length(source_length, target_length, position, attention=False):
    """Steps from the last output back to the encoder state at ``position``, which counts from 1; ints -> int.

    With attention, there is one step.
    """
    ### BEGIN SOLUTION: return the number of steps
    if attention:
        return 1
    return target_length + (source_length - position)
    ### END SOLUTION


def path_decay(gamma, steps):
    """What is left of a gradient that each step multiplies by ``gamma``: a float and an int >= 0 -> float.

    It may be too small for a float: then it is 0.0.
    """
    ### BEGIN SOLUTION: return what is left
    return float(gamma) ** steps
    ### END SOLUTION


def reach(gamma, threshold=1e-7):
    """The largest number of steps after which at least ``threshold`` is left: floats between 0 and 1 -> int."""
    ### BEGIN SOLUTION: return the number of steps
    return math.floor(math.log(threshold, gamma))
    ### END SOLUTION


def decay_along(states, recurrent_weight):
    """The largest singular value of d h_T / d h_t in h_t = tanh(W h_{t-1} + ...), for each t.

    Args:
        states: (T, d), the h_t.
        recurrent_weight: (d, d), the W.

    Returns:
        (T,): the last entry is 1.
    """
    ### BEGIN SOLUTION: return the singular values
    jacobian = torch.eye(states.size(1), dtype=states.dtype, device=states.device)
    norms = [torch.ones_like(states[0, 0])]
    for t in range(states.size(0) - 1, 0, -1):
        step = (1.0 - states[t] ** 2).unsqueeze(1) * recurrent_weight
        jacobian = jacobian @ step
        norms.append(torch.linalg.svdvals(jacobian)[0])
    return torch.stack(norms).flip(0)
    ### END SOLUTION


# %% [markdown]
# ## 4. Your own numbers
#
# The cell at the top shows them. Compute the nine answers with your functions, for any numbers that are given.


# %%
def own_answers(own):
    """The answers for the numbers of an ``Own``, a tuple of nine.

    1. the capacity of a context of ``width`` numbers of ``bits`` bits;
    2. the bits of a token of ``vocabulary`` words;
    3. the longest sentence that fits without loss;
    4. the steps from the last output to the first encoder state, without attention;
    5. what is left of a gradient after these steps, at ``gamma``;
    6. the reach of ``gamma``, at the usual threshold;
    7. the bytes of all attention matrices for the source, with numbers of ``bits`` bits;
    8. the capacity of a binary channel that flips with ``flip``;
    9. the multiplications of dot scores for the source.
    """
    ### BEGIN SOLUTION: return the nine answers
    steps = path_length(own.source_length, own.target_length, 1)
    return (
        context_capacity(own.width, own.bits),
        bits_per_token(own.vocabulary),
        longest_lossless(own.width, own.bits, own.vocabulary),
        steps,
        path_decay(own.gamma, steps),
        reach(own.gamma),
        attention_bytes(own.source_length, own.heads, own.layers, own.bits // 8),
        binary_channel_capacity(own.flip),
        score_multiplications("dot", own.source_length, own.width),
    )
    ### END SOLUTION


# %% [markdown]
# ## 5. The quiz
#
# Print your questions with the cell under the list, and write down one letter for each.


# %%
def quiz_answers():
    """Your 12 letters, "A" to "D", in the order of ``quiz_questions(TOKEN)``: a list of letters, or one text."""
    ### BEGIN SOLUTION: return your letters
    key = (2, 0, 3, 1, 1, 3, 0, 2, 3, 0, 2, 1)
    rights = [options[key[number]] for number, (_, options) in enumerate(QUESTIONS)]
    shown = [options for _, options in quiz_questions(TOKEN)]
    return ["ABCD"[options.index(rights[number])] for number, options in enumerate(shown)]
    ### END SOLUTION
