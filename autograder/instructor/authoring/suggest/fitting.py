"""Which expression of axes gives the sizes that were seen: ``d``, ``2*d``, ``d_s+d_h``."""

from __future__ import annotations

import itertools
from collections.abc import Iterator, Sequence

from autograder.assignments.kit.inputs import Sizes, size_of

MULTIPLES = (2, 3, 4)


def fitted(shapes: Sequence[Sequence[int]], tables: Sequence[Sizes], among: Sequence[str]) -> list[str] | None:
    """Return an expression for each axis of a shape that was seen with several tables of sizes, or None.

    An axis that nothing fits is ``?``. None: the number of axes differs.
    """
    if len({len(shape) for shape in shapes}) != 1:
        return None
    return [_expression(seen, tables, among) for seen in zip(*shapes, strict=True)]


def _expression(seen: Sequence[int], tables: Sequence[Sizes], among: Sequence[str]) -> str:
    for text in _expressions(among, seen):
        if all(size_of(text, sizes) == size for sizes, size in zip(tables, seen, strict=True)):
            return text
    return "?"


def _expressions(names: Sequence[str], seen: Sequence[int]) -> Iterator[str]:
    """Yield what an axis may be, from the simplest on. Primes have few ways to be sums and products of others."""
    yield from names
    if len(set(seen)) == 1:
        yield str(seen[0])
    yield from (f"{factor}*{name}" for name in names for factor in MULTIPLES)
    yield from (f"{one}*{other}" for one, other in itertools.combinations_with_replacement(names, 2))
    yield from (f"{one}+{other}" for one, other in itertools.combinations(names, 2))
    yield from (f"{factor}*{one}*{other}" for one, other in itertools.combinations(names, 2) for factor in MULTIPLES)
    pairs = itertools.permutations(names, 2)
    yield from (f"{factor}*{one}+{other}" for one, other in pairs for factor in MULTIPLES)
    yield from (f"{one}+{other}+{third}" for one, other, third in itertools.combinations(names, 3))
    yield from (f"{one}*{other}+{third}" for one, other in itertools.combinations(names, 2) for third in names)
