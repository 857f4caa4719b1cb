import hashlib
import math
import re
from typing import NamedTuple

import torch
import torch.nn.functional as F

TOKEN = ""


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


if __name__ == "__main__":
    for number, (question, options) in enumerate(quiz_questions(TOKEN), start=1):
        print(
            f"{number}. {question}",
            *(f"   {letter}: {option}" for letter, option in zip("ABCD", options, strict=True)),
            sep="\n",
        )

if __name__ == "__main__":
    print(own_numbers(TOKEN))


# ------------------------------------------------------------------ contexts

def uniform_context(states):
    n = states.size(1)
    return states.sum(1) / n, states.new_full(states.shape[:2], 1.0 / n)


def weight_of_dot(dim):
    return F.one_hot(torch.arange(dim), dim).float()


def score_multiplications(kind, length, dim, attn_dim=None):
    if kind == "dot":
        one = dim
    elif kind == "general":
        one = dim * dim + dim
    elif kind == "additive":
        one = 2 * dim * attn_dim + attn_dim
    else:
        raise ValueError(kind)
    return length * one


def attention_bytes(length, heads=1, layers=1, bytes_per_number=4):
    return bytes_per_number * layers * heads * length ** 2


# ------------------------------------------------------------------ bits

def entropy_bits(probabilities):
    return torch.special.entr(probabilities + (probabilities == 0)).sum(-1) / math.log(2)


def conditional_entropy(joint):
    return entropy_bits(joint.reshape(-1)) - entropy_bits(joint.sum(0))


def mutual_information(joint):
    x, y = joint.sum(1, keepdim=True), joint.sum(0, keepdim=True)
    inside = joint > 0
    ratio = torch.where(inside, joint, torch.ones_like(joint)) / torch.where(inside, x * y, torch.ones_like(joint))
    return (joint * ratio.log2()).sum()


def processing_chain(joint, channel):
    return mutual_information(joint), mutual_information(joint.mm(channel))


def binary_channel_capacity(flip):
    h = lambda p: -p * math.log2(p) if p else 0.0
    return 1.0 - h(flip) - h(1.0 - flip)


def context_capacity(width, bits):
    return width * bits


def bits_per_token(vocabulary):
    return math.log2(vocabulary)


def longest_lossless(width, bits, vocabulary):
    return int(context_capacity(width, bits) // bits_per_token(vocabulary))


# ------------------------------------------------------------------ gradients

def path_length(source_length, target_length, position, attention=False):
    return 1 if attention else target_length + (source_length - position)


def path_decay(gamma, steps):
    return math.exp(steps * math.log(gamma))


def reach(gamma, threshold=1e-7):
    # gamma^n = threshold
    return math.ceil(math.log(threshold) / math.log(gamma))


def decay_along(states, recurrent_weight):
    last = len(states) - 1
    J = torch.eye(states.size(1), dtype=states.dtype, device=states.device)
    norms = torch.ones(len(states), dtype=states.dtype, device=states.device)
    values = [norms[last]]
    for t in range(last, 0, -1):
        J = J @ (recurrent_weight * (1 - states[t].pow(2))[:, None])
        values.append(torch.linalg.svdvals(J).max())
    return torch.stack(values[::-1])


# ------------------------------------------------------------------ mine

def own_answers(own):
    steps = path_length(own.source_length, own.target_length, 1)
    return (
        context_capacity(own.width, own.bits),
        round(bits_per_token(own.vocabulary), 4),
        longest_lossless(own.width, own.bits, own.vocabulary),
        steps,
        path_decay(own.gamma, steps),
        reach(own.gamma),
        attention_bytes(own.source_length, own.heads, own.layers, own.bits // 8),
        binary_channel_capacity(own.flip),
        score_multiplications("dot", own.source_length, own.width),
    )


def quiz_answers():
    return "ABCAACCBBBAC"
