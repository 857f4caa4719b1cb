"""Assignment 9. Long names, short functions."""
from __future__ import annotations

import hashlib
import re
from functools import reduce
from math import floor, inf, log, log2
from operator import mul
from typing import NamedTuple

import torch
from torch import Tensor

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


def product(*factors: int) -> int:
    return reduce(mul, factors, 1)


def uniform_context(states: Tensor) -> tuple[Tensor, Tensor]:
    weights = torch.ones_like(states[..., 0])
    weights = weights / weights.sum(dim=-1, keepdim=True)
    return torch.einsum("bt,btd->bd", weights, states), weights


def weight_of_dot(dim: int) -> Tensor:
    return torch.ones(dim).diag_embed()


def additive_cost(length: int, dim: int, attn_dim: int) -> int:
    return product(length, attn_dim, 2 * dim + 1)


def dot_cost(length: int, dim: int, _: int | None) -> int:
    return product(length, dim)


def general_cost(length: int, dim: int, _: int | None) -> int:
    return product(dim, dim) + product(length, dim)


def score_multiplications(kind: str, length: int, dim: int, attn_dim: int | None = None) -> int:
    costs = {"additive": additive_cost, "dot": dot_cost, "general": general_cost}
    if kind not in costs:
        raise ValueError(f"kind must be one of {sorted(costs)}")
    return costs[kind](length, dim, attn_dim)


def attention_bytes(length: int, heads: int = 1, layers: int = 1, bytes_per_number: int = 4) -> int:
    return product(length, length, heads, layers, bytes_per_number)


def surprise(probabilities: Tensor) -> Tensor:
    """Bits of each outcome; 0 for impossible ones."""
    possible = probabilities > 0
    return torch.where(possible, -torch.where(possible, probabilities, 1.0).log2(), 0.0)


def entropy_bits(probabilities: Tensor) -> Tensor:
    return (probabilities * surprise(probabilities)).sum(dim=-1)


def conditional_entropy(joint: Tensor) -> Tensor:
    return entropy_bits(joint.flatten()) - entropy_bits(joint.sum(dim=0))


def mutual_information(joint: Tensor) -> Tensor:
    return entropy_bits(joint.sum(dim=1)) - conditional_entropy(joint)


def processing_chain(joint: Tensor, channel: Tensor) -> tuple[Tensor, Tensor]:
    return mutual_information(joint), mutual_information(joint @ channel)


def binary_channel_capacity(flip: float) -> float:
    return 1 + sum(p * log2(p) for p in (flip, 1 - flip) if p > 0)


def context_capacity(width: int, bits: int) -> int:
    return product(width, bits)


def bits_per_token(vocabulary: int) -> float:
    return log2(vocabulary)


def longest_lossless(width: int, bits: int, vocabulary: int) -> int:
    return floor(context_capacity(width, bits) / bits_per_token(vocabulary))


def path_length(source_length: int, target_length: int, position: int, attention: bool = False) -> int:
    return 1 if attention else source_length - position + target_length


def path_decay(gamma: float, steps: int) -> float:
    return gamma**steps


def reach(gamma: float, threshold: float = 1e-7) -> int:
    return floor(log(threshold) / log(gamma))


def decay_along(states: Tensor, recurrent_weight: Tensor) -> Tensor:
    """Chain rule: the factors of all later steps, one after the other."""
    factors = (1 - states[1:].square()).unsqueeze(2) * recurrent_weight
    norms = torch.linalg.matrix_norm(factors, ord=2)
    later = norms.flip(0).cumprod(dim=0).flip(0)
    return torch.cat([later, torch.ones_like(states[:1, 0])])


def own_answers(own: Own) -> tuple[float, ...]:
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


def quiz_answers() -> str:
    return "ABCAAC" + "CBBBAC"
