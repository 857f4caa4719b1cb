# Assignment 9: The bottleneck in numbers
#
# Fill in every place marked "Your code here". The README beside this file explains each task.
# bottleneck.ipynb is the same assignment as a notebook. Hand in the script or the notebook, not both.
# To check your work: attngrade check bottleneck.py

import hashlib
import math
import re
from typing import NamedTuple

import torch

# ---- Given: your token and your numbers


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


# ---- Given: the quiz


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


# ---- 1. Contexts and costs


def uniform_context(states):
    """The context of equal weights: (B, T, d) -> context (B, d), weights (B, T)."""
    # Your code here: return the context and the weights.
    raise NotImplementedError


def weight_of_dot(dim):
    """An int -> (dim, dim) float32, the W for which the score s^T W h is the score s^T h."""
    # Your code here: return the matrix.
    raise NotImplementedError


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
    # Your code here: return the number of multiplications.
    raise NotImplementedError


def attention_bytes(length, heads=1, layers=1, bytes_per_number=4):
    """Bytes of all attention matrices of a model: one (length, length) for each head of each layer; ints -> int."""
    # Your code here: return the bytes.
    raise NotImplementedError


# ---- 2. Information in bits


def entropy_bits(probabilities):
    """The entropy in bits along the last axis: (..., n) -> (...)."""
    # Your code here: return the entropy.
    raise NotImplementedError


def conditional_entropy(joint):
    """H(X | Y) in bits: (n, m) -> scalar tensor. X is along the rows: ``joint[x, y]``."""
    # Your code here: return the conditional entropy.
    raise NotImplementedError


def mutual_information(joint):
    """I(X; Y) in bits: (n, m) -> scalar tensor."""
    # Your code here: return the mutual information.
    raise NotImplementedError


def processing_chain(joint, channel):
    """What is left of the information after a second step.

    Args:
        joint: (n, m), p(x, y).
        channel: (m, k), p(z | y): each row sums to 1. Z depends on X only through Y.

    Returns:
        I(X; Y) and I(X; Z) in bits, two scalar tensors.
    """
    # Your code here: return both.
    raise NotImplementedError


def binary_channel_capacity(flip):
    """Bits a symbol of a channel that flips a bit with this probability: a float from 0 to 1 -> 1 - H(flip)."""
    # Your code here: return the capacity.
    raise NotImplementedError


def context_capacity(width, bits):
    """The most bits that a context of ``width`` numbers of ``bits`` bits holds; ints -> int."""
    # Your code here: return the bits.
    raise NotImplementedError


def bits_per_token(vocabulary):
    """Bits of one token if all words are equally likely: an int >= 1 -> float."""
    # Your code here: return the bits.
    raise NotImplementedError


def longest_lossless(width, bits, vocabulary):
    """The largest number of tokens whose bits fit into the context; ints -> int, ``vocabulary`` >= 2."""
    # Your code here: return the number of tokens.
    raise NotImplementedError


# ---- 3. The path of the gradient


def path_length(source_length, target_length, position, attention=False):
    """Steps from the last output back to the encoder state at ``position``, which counts from 1; ints -> int.

    With attention, there is one step.
    """
    # Your code here: return the number of steps.
    raise NotImplementedError


def path_decay(gamma, steps):
    """What is left of a gradient that each step multiplies by ``gamma``: a float and an int >= 0 -> float.

    It may be too small for a float: then it is 0.0.
    """
    # Your code here: return what is left.
    raise NotImplementedError


def reach(gamma, threshold=1e-7):
    """The largest number of steps after which at least ``threshold`` is left: floats between 0 and 1 -> int."""
    # Your code here: return the number of steps.
    raise NotImplementedError


def decay_along(states, recurrent_weight):
    """The largest singular value of d h_T / d h_t in h_t = tanh(W h_{t-1} + ...), for each t.

    Args:
        states: (T, d), the h_t.
        recurrent_weight: (d, d), the W.

    Returns:
        (T,): the last entry is 1.
    """
    # Your code here: return the singular values.
    raise NotImplementedError


# ---- 4. Your own numbers


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
    # Your code here: return the nine answers.
    raise NotImplementedError


# ---- 5. The quiz


def quiz_answers():
    """Your 12 letters, "A" to "D", in the order of ``quiz_questions(TOKEN)``: a list of letters, or one text."""
    # Your code here: return your letters.
    raise NotImplementedError
