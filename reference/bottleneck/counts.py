"""Counts and capacities: functions of plain numbers."""

import math
from typing import NamedTuple


class Own(NamedTuple):
    """A student's own numbers (contract of the assignment)."""

    width: int
    bits: int
    source_length: int
    target_length: int
    vocabulary: int
    gamma: float
    heads: int
    layers: int
    flip: float


def score_multiplications(kind: str, length: int, dim: int, attn_dim: int | None = None) -> int:
    """Multiplications of the scores of one decoder step. Raises ValueError for another kind.

    Additive: Bahdanau, Cho and Bengio 2015, appendix A.1.2, with the decoder's projection done for each position.
    Dot and general: Luong, Pham and Manning 2015, section 3.1, with the query projected once.
    """
    if kind == "additive" and attn_dim is not None:
        return length * (2 * dim * attn_dim + attn_dim)
    if kind == "dot":
        return length * dim
    if kind == "general":
        return dim * dim + length * dim
    raise ValueError(f"the kind is {kind!r}; expected additive, dot or general")


def attention_bytes(length: int, heads: int = 1, layers: int = 1, bytes_per_number: int = 4) -> int:
    """Bytes of all attention matrices. Dao and others 2022, arXiv 2205.14135, section 2.2: quadratic in the length."""
    return layers * heads * length * length * bytes_per_number


def binary_channel_capacity(flip: float) -> float:
    """1 - H(flip), in bits a symbol, of a binary symmetric channel. Cover and Thomas, 2nd ed., equation (7.5)."""
    terms = (p * math.log2(p) for p in (flip, 1 - flip) if p > 0)
    return 1 + math.fsum(terms)


def context_capacity(width: int, bits: int) -> int:
    """The most bits that ``width`` numbers of ``bits`` bits hold."""
    return width * bits


def bits_per_token(vocabulary: int) -> float:
    """log2 of the number of words, all equally likely: their entropy. Shannon 1948, section 6."""
    return math.log2(vocabulary)


def longest_lossless(width: int, bits: int, vocabulary: int) -> int:
    """The largest T with vocabulary ** T <= 2 ** (width * bits): T tokens that a context can tell apart.

    Compared as whole numbers, so a length that fits exactly counts.
    """
    length = int(context_capacity(width, bits) / math.log2(vocabulary))
    most = 1 << context_capacity(width, bits)
    while vocabulary**length > most:
        length -= 1
    while vocabulary ** (length + 1) <= most:
        length += 1
    return length


def path_length(source_length: int, target_length: int, position: int, attention: bool = False) -> int:
    """Steps from the last output back to an encoder state, positions from 1; with attention there is one.

    Vaswani and others 2017, arXiv 1706.03762, section 4 and table 1, compare such paths.
    """
    return 1 if attention else target_length + source_length - position


def path_decay(gamma: float, steps: int) -> float:
    """gamma ** steps: Pascanu, Mikolov and Bengio 2013, section 2.1, if each step scales by gamma."""
    return float(gamma**steps)


def reach(gamma: float, threshold: float = 1e-7) -> int:
    """The largest number of steps with gamma ** steps >= threshold; both lie between 0 and 1."""
    steps = math.floor(math.log(threshold) / math.log(gamma))
    while gamma**steps < threshold:
        steps -= 1
    while gamma ** (steps + 1) >= threshold:
        steps += 1
    return steps


def own_answers(own: Own) -> tuple[int, float, int, int, float, int, int, float, int]:
    """The nine answers for a student's own numbers, in the order of the contract."""
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
