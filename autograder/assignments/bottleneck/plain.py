"""The arguments of calls that take plain numbers, by function and by how they are drawn."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

from autograder.assignments.kit.programs import InputGenerator

Given = tuple[tuple[Any, ...], dict[str, Any]]  # positional and named arguments
Draw = Callable[[InputGenerator], Given]
FLOATS = (0.55, 0.95)


def distinct(generator: InputGenerator, count: int, low: int = 3, high: int = 14) -> list[int]:
    """Return so many different numbers from ``low`` to ``high - 1``."""
    return [int(one) for one in generator.generator.choice(range(low, high), count, replace=False)]


def between(generator: InputGenerator, low: float, high: float) -> float:
    """Return a number with at most four digits after the point."""
    return round(float(generator.uniform(low=low, high=high)), 4)


def _score(kind: str, count: int = 2, high: int = 14) -> Draw:
    return lambda generator: ((kind, *distinct(generator, count, high=high)), {})


def _other_kind(generator: InputGenerator) -> Given:
    return ("cosine", *distinct(generator, 3)), {}


def _bytes(count: int, high: int = 14) -> Draw:
    """Draw the length, the heads and the layers. Numbers have 2 or 8 bytes where all are given."""

    def draw(generator: InputGenerator) -> Given:
        args = distinct(generator, count, high=high)
        size = (2, 8)[int(generator.integers(high=2))]
        return tuple(args), {"bytes_per_number": size} if count == 3 else {}

    return draw


def _huge(generator: InputGenerator) -> Given:
    """The largest model of the contract; the length varies, so that its size is no constant."""
    return (32768 - int(generator.integers(high=5)), 16, 24), {}


def _flip(low: float, high: float) -> Draw:
    return lambda generator: ((between(generator, low, high),), {})


def _exactly(*args: Any) -> Draw:
    return lambda generator: (args, {})


def _capacity(generator: InputGenerator) -> Given:
    return tuple(distinct(generator, 2, high=700)), {}


def _vocabulary(generator: InputGenerator) -> Given:
    return (int(generator.integers(low=3, high=60000)),), {}


def _lossless(low: float, high: float) -> Draw:
    """Draw until the fraction of a token that is left lies between these."""

    def draw(generator: InputGenerator) -> Given:
        while True:
            width, bits, words = (int(generator.integers(low=3, high=top)) for top in (60, 33, 5000))
            if low < width * bits / math.log2(words) % 1 < high and width * bits > 20 * math.log2(words):
                return (width, bits, words), {}

    return draw


def _fits(generator: InputGenerator) -> Given:
    """A vocabulary of a power of 2, whose tokens fill the context."""
    width, each = distinct(generator, 2)
    return (width * each, int(generator.integers(low=5, high=9)), 2**each), {}


def _path(attention: bool | None = None, at: str = "") -> Draw:
    def draw(generator: InputGenerator) -> Given:
        position, source = sorted(distinct(generator, 2, high=40))
        target = int(generator.integers(low=41, high=70))  # larger than both, so that no two paths have one length
        position = {"first": 1, "last": source}.get(at, position)
        return (source, target, position), {} if attention is None else {"attention": attention}

    return draw


def _decay(low: int, high: int) -> Draw:
    return lambda generator: ((between(generator, *FLOATS), int(generator.integers(low=low, high=high))), {})


def _reach(with_threshold: bool) -> Draw:
    """Draw until the threshold is no power of gamma, not even nearly."""

    def draw(generator: InputGenerator) -> Given:
        while True:
            gamma = between(generator, 0.4, 0.95)
            threshold = float(f"{10 ** -float(generator.uniform(low=2, high=6)):.2e}") if with_threshold else 1e-7
            if 0.05 < math.log(threshold) / math.log(gamma) % 1 < 0.95:
                return (gamma, threshold) if with_threshold else (gamma,), {}

    return draw


def _just_enough(generator: InputGenerator) -> Given:
    """A factor at which the last step leaves hardly more than the usual threshold."""
    return (1.0005e-7 ** (1 / int(generator.integers(low=20, high=60))),), {}


ARGUMENTS: dict[str, dict[str, Draw]] = {
    "score_multiplications": {
        "additive": _score("additive", 3),
        "dot": _score("dot"),
        "general": _score("general"),
        "large": _score("additive", 3, high=900),
        "large-general": _score("general", high=900),
        "large-dot": _score("dot", high=900),
        "other": _other_kind,
    },
    "attention_bytes": {
        "length": _bytes(1),
        "heads": _bytes(2),
        "layers": _bytes(3),
        "large": _bytes(3, high=3000),
        "huge": _huge,
    },
    "binary_channel_capacity": {
        "low": _flip(0.02, 0.2),
        "middle": _flip(0.2, 0.45),
        "high": _flip(0.6, 0.95),
        **{str(flip): _exactly(flip) for flip in (0.0, 0.5, 1.0)},
    },
    "context_capacity": {"": _capacity},
    "bits_per_token": {"": _vocabulary, "one": _exactly(1), "two": _exactly(2)},
    "longest_lossless": {"less": _lossless(0.05, 0.45), "more": _lossless(0.55, 0.95), "fits": _fits},
    "path_length": {
        "": _path(),
        "without": _path(False),
        "attention": _path(True),
        "first": _path(at="first"),
        "last": _path(at="last"),
    },
    "path_decay": {"few": _decay(2, 9), "many": _decay(20, 60), "none": _decay(0, 1), "far": _exactly(0.4, 3000)},
    "reach": {"": _reach(False), "threshold": _reach(True), "just": _just_enough},
}
