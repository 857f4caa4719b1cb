"""What the hidden checks of ``diagnostics`` share: sizes, and cases of every function."""

from __future__ import annotations

from functools import partial
from typing import Any

from autograder import model
from autograder.assignments.diagnostics.hidden import limits
from autograder.assignments.diagnostics.informative import apart
from autograder.assignments.diagnostics.programs import (
    ABLATED,
    COVERAGE,
    CURVE,
    ENTROPY,
    ERROR_RATE,
    FAILURE,
    GEOMETRY,
    LINKS,
    NORMS,
    OFFSET,
    PATHS,
    PATTERN,
    PERMUTED,
    RANKS,
    SHARPNESS,
    USUAL,
    Answers,
    Batch,
)
from autograder.assignments.kit.checks import case
from autograder.assignments.kit.hidden.usual_cases import in_layouts, steady
from autograder.assignments.kit.kinds import constraint

LONG = Batch([(11, 9), (4, 13), (8, 8), (2, 3), (13, 2)], rows=14, columns=15)
PADDED = Batch([(3, 5), (6, 2), (4, 7)], rows=9, columns=10, padding=1e6)
EXACT = Batch([(5, 6), (5, 6)], rows=5, columns=6)
ONES = Batch([(1, 5), (4, 1), (1, 1), (2, 2)], rows=4, columns=5)
FULL = Batch([(5, 6), (3, 6), (6, 6), (2, 6)], rows=7, columns=6)  # no column is padding
ALONE, COLUMN, ROW = Batch([(1, 1)], 1, 1), Batch([(3, 1), (1, 1), (2, 1)], 4, 1), Batch([(1, 5), (1, 5)], 2, 5)
HERE, THERE = Batch([(6, 7), (5, 8)], rows=8, columns=9), Batch([(6, 7), (5, 8)], rows=8, columns=10)
LATER, OTHER = Batch([(4, 6), (7, 7)], rows=8, columns=9), Batch([(6, 9)], rows=7, columns=10)
ANSWERED = ((2, 5, 3, 4, 3), (1, 4, 2, 3, 1), (2, 5, 3, 4, 3), (4, 9, 2, 3, 5), (4, 8, 2, 3, 5))
# Three sizes for calls in turn, and two that no other case has, for the devices.
SIZES: dict[str, list[tuple[Any, ...]]] = {
    ENTROPY: [(3, 7), (2, 5), (3, 7), (4, 9), (4, 8)],
    CURVE: [(3, 2, 3, 5), (2, 1, 4, 3), (3, 2, 3, 5), (2, 4, 2, 9), (2, 4, 3, 9)],
    **{
        name: [(HERE,), (OTHER,), (LATER,), (THERE,), (HERE,)]
        for name in (SHARPNESS, COVERAGE, OFFSET, LINKS, PATTERN, FAILURE)
    },
    ERROR_RATE: [(2, 3, 5), (1, 4, 3), (2, 3, 5)],
    GEOMETRY: [(2, 4, 3), (1, 5, 2), (2, 4, 3), (4, 2, 9), (4, 3, 9)],
    PATHS: [(2, 3, 5, 4), (1, 2, 3, 2), (2, 3, 5, 4), (4, 2, 9, 7), (4, 3, 9, 7)],
    NORMS: [(2, 5, 3), (1, 4, 2), (2, 5, 3), (4, 2, 7), (4, 3, 7)],
    **{name: [(Answers(*size),) for size in ANSWERED] for name in (PERMUTED, ABLATED)},
    RANKS: [(2, 5), (3, 4), (2, 5), (4, 9), (4, 8)],
}


def rules(name: str, points: float = 0.5) -> model.Check:
    """Return the check that a function keeps no state, leaves its inputs alone, and stays on their device."""
    cases, assertions = steady(USUAL, name, SIZES[name], **({"lacking": True} if name == ERROR_RATE else {}))
    title = f"{name} keeps no state, leaves its inputs alone and works on any device"
    return constraint(f"{name}-rules", points, title).on(*cases).expects(*assertions)


sizes = partial(in_layouts, USUAL)


def at_limits(name: str, id: str, batch: Batch, write: Any, found: tuple[int, ...]) -> model.Case:
    """Return a case at the limits of a classifier's rules, but no nearer than tests may be."""
    judge = partial(apart, batch=batch, expected=found)
    return case(f"hidden-{id}", limits.classes, name, batch, write, is_informative=judge)


def lengths(table: Any) -> Batch:
    """Return the batch of a table of counts."""
    return Batch([(len(peaks), columns) for columns, peaks, _ in table], rows=13, columns=13)
