import hashlib
# Own answers computed anew from the formulas, with four digits; letters with spaces in a tuple.
import math
import re
from typing import NamedTuple
import torch
from torch.distributions import Categorical


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


def uniform_context(states):
    wide = states.double()
    weights = torch.ones(states.shape[:2], dtype=torch.float64, device=states.device) / states.shape[1]
    return wide.mean(dim=1).to(states.dtype), weights.to(states.dtype)


def weight_of_dot(dim):
    """An int -> (dim, dim) float32, the W for which the score s^T W h is the score s^T h."""
    return torch.eye(dim)


def score_multiplications(kind, length, dim, attn_dim=None):
    match kind:
        case "additive":
            return math.prod((length, attn_dim, 2 * dim + 1))
        case "dot":
            return math.prod((length, dim))
        case "general":
            return math.prod((length + dim, dim))
    raise ValueError(kind)


def attention_bytes(length, heads=1, layers=1, bytes_per_number=4):
    """Bytes of all attention matrices of a model: one (length, length) for each head of each layer; ints -> int."""
    numbers = length**2 * heads * layers
    return numbers * bytes_per_number


def entropy_bits(probabilities):
    wide = probabilities.double()
    logs = torch.where(wide > 0, wide, 1.0).log2()
    return -torch.sum(wide * logs, -1).to(probabilities.dtype)


def conditional_entropy(joint):
    of_y = joint.sum(0, keepdim=True)
    return -(joint * ((joint + EPS) / (of_y + EPS)).log2()).sum()


def mutual_information(joint):
    wide = joint.double()
    sides = entropy_bits(wide.sum(0)) + entropy_bits(wide.sum(1))
    return (sides - entropy_bits(wide.flatten())).to(joint.dtype)


def processing_chain(joint, channel):
    """What is left of the information after a second step.

    Args:
        joint: (n, m), p(x, y).
        channel: (m, k), p(z | y): each row sums to 1. Z depends on X only through Y.

    Returns:
        I(X; Y) and I(X; Z) in bits, two scalar tensors.
    """
    after = joint.sum(dim=0).unsqueeze(1) * channel
    return mutual_information(joint), mutual_information(after)


def binary_channel_capacity(flip):
    """Bits a symbol of a channel that flips a bit with this probability: a float from 0 to 1 -> 1 - H(flip)."""
    if flip in (0, 1):
        return 1.0
    return 1.0 + flip * math.log2(flip) + (1.0 - flip) * math.log2(1.0 - flip)


def context_capacity(width, bits):
    """The most bits that a context of ``width`` numbers of ``bits`` bits holds; ints -> int."""
    return width * bits


def bits_per_token(vocabulary):
    """Bits of one token if all words are equally likely: an int >= 1 -> float."""
    return math.log2(vocabulary)


def longest_lossless(width, bits, vocabulary):
    """The largest number of tokens whose bits fit into the context; ints -> int, ``vocabulary`` >= 2."""
    return math.floor(context_capacity(width, bits) / bits_per_token(vocabulary))


def path_length(source_length, target_length, position, attention=False):
    """Steps from the last output back to the encoder state at ``position``, which counts from 1; ints -> int.

    With attention, there is one step.
    """
    if attention:
        return 1
    return target_length + (source_length - position)


def path_decay(gamma, steps):
    return math.pow(gamma, steps)


def reach(gamma, threshold=1e-7):
    """The largest number of steps after which at least ``threshold`` is left: floats between 0 and 1 -> int."""
    return math.floor(math.log(threshold, gamma))


def decay_along(states, recurrent_weight):
    h, W = states.double(), recurrent_weight.double()
    J = torch.eye(h.shape[1], dtype=torch.float64, device=h.device)
    norms = [torch.ones((), dtype=torch.float64, device=h.device)]
    for t in range(len(h) - 1, 0, -1):
        J = J @ W
        norms.insert(0, torch.linalg.svdvals(J).amax())
    return torch.stack(norms).to(states.dtype)


def own_answers(own):
    n = own.target_length + own.source_length - 1
    noise = -own.flip * math.log2(own.flip) - (1 - own.flip) * math.log2(1 - own.flip)
    return (
        own.width * own.bits,
        round(math.log2(own.vocabulary), 4),
        int(own.width * own.bits / math.log2(own.vocabulary)),
        n,
        float(f"{own.gamma**n:.4g}"),
        int(math.log(1e-7) / math.log(own.gamma)),
        own.layers * own.heads * own.source_length**2 * own.bits // 8,
        float(f"{1 - noise:.4g}"),
        own.source_length * own.width,
    )


def quiz_answers():
    """Your 12 letters, "A" to "D", in the order of ``quiz_questions(TOKEN)``: a list of letters, or one text."""
    key = (2, 0, 3, 1, 1, 3, 0, 2, 3, 0, 2, 1)
    rights = [options[key[number]] for number, (_, options) in enumerate(QUESTIONS)]
    shown = [options for _, options in quiz_questions(TOKEN)]
    return ["ABCD"[options.index(rights[number])] for number, options in enumerate(shown)]
