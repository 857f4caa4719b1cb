import hashlib
import re
from typing import NamedTuple

import torch
from torch import tensor

TOKEN = "attngrade1.bottleneck.c2FtdWVs.b1e2f30495a6c7d8."


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


double = torch.float64


def uniform_context(states):
    scores = torch.zeros_like(states[..., 0])
    weights = scores.softmax(dim=-1)
    return torch.einsum("bt,btd->bd", weights, states), weights


def weight_of_dot(dim):
    return torch.diag(torch.ones(dim))


COSTS = {
    "dot": lambda length, dim, attn_dim: length * dim,
    "general": lambda length, dim, attn_dim: dim * (dim + length),
    "additive": lambda length, dim, attn_dim: length * attn_dim * (2 * dim + 1),
}


def score_multiplications(kind, length, dim, attn_dim=None):
    try:
        cost = COSTS[kind]
    except KeyError:
        raise ValueError(kind) from None
    return cost(length, dim, attn_dim)


def attention_bytes(length, heads=1, layers=1, bytes_per_number=4):
    return tensor([length, length, heads, layers, bytes_per_number]).prod()


def entropy_bits(probabilities):
    return -torch.special.xlogy(probabilities, torch.where(probabilities > 0, probabilities, 1.0)).sum(-1) / tensor(2.0, dtype=double).log().to(probabilities)


def joint_entropies(joint):
    return entropy_bits(joint.sum(1)), entropy_bits(joint.sum(0)), entropy_bits(joint.flatten())


def conditional_entropy(joint):
    _, y, xy = joint_entropies(joint)
    return xy - y


def mutual_information(joint):
    x, y, xy = joint_entropies(joint)
    return x + y - xy


def processing_chain(joint, channel):
    return tuple(mutual_information(table) for table in (joint, joint @ channel))


def binary_channel_capacity(flip):
    return 1 - entropy_bits(tensor([flip, 1 - flip], dtype=double))


def context_capacity(width, bits):
    return tensor(width) * bits


def bits_per_token(vocabulary):
    return tensor(vocabulary, dtype=double).log2()


def longest_lossless(width, bits, vocabulary):
    return (context_capacity(width, bits) / bits_per_token(vocabulary)).floor().long()


def path_length(source_length, target_length, position, attention=False):
    return 1 if attention else len(range(position, source_length)) + target_length


def path_decay(gamma, steps):
    return tensor(gamma, dtype=double) ** steps


def reach(gamma, threshold=1e-7):
    powers = tensor(gamma, dtype=double) ** torch.arange(1, 100_000)
    return int((powers >= threshold).sum())


def decay_along(states, recurrent_weight):
    steps = (1 - states**2)[1:, :, None] * recurrent_weight  # d h_{t+1} / d h_t
    so_far = torch.eye(states.shape[1]).to(states)
    found = [so_far]
    for step in reversed(list(steps)):
        so_far = so_far @ step
        found.insert(0, so_far)
    return torch.linalg.svdvals(torch.stack(found)).amax(dim=-1)


def own_answers(own):
    steps = path_length(own.source_length, own.target_length, 1)
    return tuple(
        float(answer)
        for answer in (
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
    )


def quiz_answers():
    return list("dcddaacdccca")
