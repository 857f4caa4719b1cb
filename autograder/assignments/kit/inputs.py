"""What a declared call gets: how each input is drawn, by the names of its axes.

Axes are names or numbers with spaces between: ``"B T_q d"``. A size is drawn once for each name, so two inputs that
share an axis fit together. An axis can be a sum of products of them: ``"B T_p+T_n 2*d"``.
"""

from __future__ import annotations

import math
import re
from collections.abc import Callable, Iterable, Mapping
from typing import Literal

import msgspec
import numpy as np

from autograder.assignments.kit.programs import InputGenerator

Sizes = Mapping[str, int]  # axis -> size
Draw = Callable[[InputGenerator, tuple[int, ...], Sizes], np.ndarray]
Sort = Literal["float", "int", "bool"]


class Input(msgspec.Struct, frozen=True):
    """An array that is drawn for each case. ``blank``, ``large`` and ``whole`` are other draws, for corner cases.

    ``uses`` names axes whose sizes the draw reads.
    """

    axes: str
    draw: Draw
    sort: Sort = "float"
    blank: Draw | None = None
    large: Draw | None = None
    whole: Draw | None = None
    uses: tuple[str, ...] = ()

    def shape(self, sizes: Sizes) -> tuple[int, ...]:
        """Return the shape for some sizes."""
        return shape_of(self.axes, sizes)


class Lists(msgspec.Struct, frozen=True):
    """A list of lists of whole numbers that is drawn for each case. ``axis`` says how many lists."""

    axis: str
    draw: Callable[[InputGenerator, int], list[list[int]]]


class Constant(msgspec.Struct, frozen=True):
    """An argument that is the same in every case: a number, a text, None, or a list of these.

    A text that begins with ``@`` is the size of an axis: ``@d``.
    """

    value: object

    @property
    def axis(self) -> str:
        """The axis whose size it is; empty if it is none's."""
        return self.value[1:] if isinstance(self.value, str) and self.value.startswith("@") else ""


def shape_of(axes: str, sizes: Sizes) -> tuple[int, ...]:
    """Return the sizes of axes."""
    return tuple(size_of(axis, sizes) for axis in axes.split())


def size_of(axis: str, sizes: Sizes) -> int:
    """Return the size of an axis: a name, a number, or a sum of products of these."""
    terms = [[int(one) if one.isdigit() else sizes[one] for one in term.split("*")] for term in axis.split("+")]
    return sum(map(math.prod, terms))


def names_in(texts: Iterable[str]) -> list[str]:
    """Return the names of the axes in some texts, in the order in which they first appear.

    Raises ValueError for what is no text of axes.
    """
    names: list[str] = []
    for text in texts:
        for axis in text.split() if isinstance(text, str) else [""]:
            words = re.split(r"[*+]", axis)
            if not all(word.isdigit() or word.isidentifier() for word in words):
                raise ValueError(f"{text!r} is no text of axes; write names and numbers with spaces between: 'B T d'")
            names += [word for word in words if not word.isdigit()]
    return list(dict.fromkeys(names))


def normal(axes: str, scale: float = 1.0) -> Input:
    """Gaussian numbers with this standard deviation.

    In its large draw, they are 10,000 times as large. In its whole draw, they are twice as large and rounded to whole
    numbers, so there are ties.
    """
    return Input(
        axes,
        lambda generator, shape, _: generator.normal(*shape, scale=scale),
        large=lambda generator, shape, _: generator.normal(*shape, scale=scale * 1e4),
        whole=lambda generator, shape, _: np.round(generator.normal(*shape, scale=scale * 2)),
    )


def uniform(axes: str, low: float = 0.0, high: float = 1.0) -> Input:
    """Evenly spread numbers."""
    return Input(axes, lambda generator, shape, _: generator.uniform(*shape, low=low, high=high))


def weights(axes: str) -> Input:
    """Positive numbers whose sum along the last axis is 1, like attention weights. In a blank draw, some are 0."""

    def draw(generator: InputGenerator, shape: tuple[int, ...], _: Sizes) -> np.ndarray:
        powers = np.exp(generator.normal(*shape))
        return np.asarray(powers / powers.sum(-1, keepdims=True))

    def blank(generator: InputGenerator, shape: tuple[int, ...], _: Sizes) -> np.ndarray:
        powers = np.exp(generator.normal(*shape)) * generator.mask(*shape)
        return np.asarray(powers / powers.sum(-1, keepdims=True))

    return Input(axes, draw, blank=blank)


def mask(axes: str, keep: float = 0.6) -> Input:
    """True where something may be attended to. Every row has a True; in a blank draw, the first row has none."""

    def blank(generator: InputGenerator, shape: tuple[int, ...], _: Sizes) -> np.ndarray:
        found = generator.mask(*shape, keep=keep)
        found.reshape(-1, shape[-1])[0] = False
        return found

    return Input(axes, lambda generator, shape, _: generator.mask(*shape, keep=keep), "bool", blank)


def integers(axes: str, below: int | str, low: int = 0) -> Input:
    """Whole numbers from ``low`` to ``below - 1``. ``below`` is a number, or an axis whose size it is."""

    def draw(generator: InputGenerator, shape: tuple[int, ...], sizes: Sizes) -> np.ndarray:
        return generator.integers(*shape, low=low, high=size_of(str(below), sizes))

    return Input(axes, draw, "int", uses=(str(below),))


def lengths(axes: str, upto: str, least: int = 1) -> Input:
    """Lengths of sentences, from ``least`` to the size of the axis ``upto``, which the first one has.

    If they may be 0, the last one is.
    """

    def draw(generator: InputGenerator, shape: tuple[int, ...], sizes: Sizes) -> np.ndarray:
        most = size_of(upto, sizes)
        found = generator.integers(*shape, low=least, high=most + 1)
        flat = found.reshape(-1)
        if least == 0:
            flat[-1] = 0
        flat[0] = most
        return found

    return Input(axes, draw, "int", uses=(upto,))


def token_lists(axis: str, below: int = 3, upto: int = 12) -> Lists:
    """As many lists as the axis has places, of different lengths up to ``upto``, of whole numbers below ``below``."""

    def draw(generator: InputGenerator, count: int) -> list[list[int]]:
        wide = generator.integers(count, low=upto // 2, high=upto + 1).tolist()
        return [generator.integers(width, high=below).tolist() for width in wide]

    return Lists(axis, draw)


def constant(value: object) -> Constant:
    """An argument that is the same in every case. A text that begins with ``@`` is the size of an axis."""
    return Constant(value)
