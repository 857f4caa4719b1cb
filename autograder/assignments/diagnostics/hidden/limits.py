"""Sentences beside the limits of the rules, and at those that count."""

from __future__ import annotations

from collections.abc import Callable, Sequence

import numpy as np

from autograder.assignments.diagnostics.matrices import along, noise, peaked
from autograder.assignments.diagnostics.programs import FAILURE, PATTERN, Batch, classified
from autograder.assignments.kit.programs import InputGenerator, ProgramBuilder


def mixed_until(matrix: np.ndarray, measure: Callable[[np.ndarray], float], goal: float) -> np.ndarray:
    """Return the matrix mixed with 1 / S until a measure reaches the goal, by bisection."""
    even = np.full_like(matrix, 1 / matrix.shape[1])
    low, high = 0.0, 1.0
    rising = measure(even) > measure(matrix)
    for _ in range(60):
        share = (low + high) / 2
        below = measure((1 - share) * matrix + share * even) < goal
        low, high = (share, high) if below == rising else (low, share)
    return (1 - low) * matrix + low * even


def spread_of(matrix: np.ndarray) -> float:
    """Return the mean entropy divided by ln S."""
    logs = np.log(np.where(matrix > 0, matrix, 1.0))
    return float(-(matrix * logs).sum(-1).mean() / np.log(matrix.shape[1]))


def maximum_of(matrix: np.ndarray) -> float:
    """Return the mean of the largest weights."""
    return float(matrix.max(-1).mean())


def near_pattern_limits(builder: ProgramBuilder) -> list[np.ndarray]:
    """Return sentences just beside the limits of classify_pattern: the spread at 0.9, the largest weight at 0.5."""
    sharp = [peaked(builder.generator, along(9, 8), 8, 0.8, 0.9) for _ in range(4)]
    return [
        mixed_until(sharp[0], spread_of, 0.93),
        mixed_until(sharp[1], spread_of, 0.87),
        mixed_until(sharp[2], maximum_of, 0.53),
        mixed_until(sharp[3], maximum_of, 0.47),
    ]


def slope_of(matrix: np.ndarray) -> float:
    """Return the drift of a matrix with as many rows as columns."""
    place = np.arange(len(matrix))
    offsets = (matrix * np.abs(place - place[:, None])).sum(-1)
    return float(np.polyfit(place, offsets, 1)[0])


def near_failure_limits(builder: ProgramBuilder) -> list[np.ndarray]:
    """Return sentences on both sides of the limits of diagnose_failure: spread, largest weight, drift."""
    sharp = peaked(builder.generator, along(9, 8), 8, 0.8, 0.9)
    middle = np.full(9, 4)
    last = [peaked(builder.generator, np.minimum(np.arange(9), column), 9, 0.7, 0.8) for column in (4, 4)]
    line = peaked(builder.generator, np.arange(9), 9, 0.7, 0.8)
    return [
        mixed_until(sharp, spread_of, 0.93),
        mixed_until(sharp, spread_of, 0.87),
        peaked(builder.generator, middle, 8, 0.921, 0.929),
        peaked(builder.generator, middle, 8, 0.871, 0.879),
        _between(line, last[0], 0.23),
        _between(line, last[1], 0.17),
    ]


def _between(line: np.ndarray, behind: np.ndarray, goal: float) -> np.ndarray:
    """Return the mixture of a line and one that falls behind, with this drift."""
    low, high = 0.0, 1.0
    for _ in range(60):
        share = (low + high) / 2
        low, high = (share, high) if slope_of((1 - share) * line + share * behind) < goal else (low, share)
    return (1 - low) * line + low * behind


def near(builder: ProgramBuilder, name: str) -> list[np.ndarray]:
    """Return sentences just beside the limits of a classifier's rules."""
    return near_pattern_limits(builder) if name == PATTERN else near_failure_limits(builder)


def counted(generator: InputGenerator, columns: int, peaks: Sequence[int], sharp: bool = False) -> np.ndarray:
    """Return rows with these peaks."""
    low, high = (0.94, 0.97) if sharp else (0.65, 0.8)
    return peaked(generator, np.array(peaks), columns, low, high)


PATTERN_COUNTS: tuple[tuple[int, Sequence[int], int], ...] = (  # columns, peaks, the class
    (8, (0, 2, 5, 7, 0, 2, 5, 7), 2),  # four different peaks of 8: half
    (8, (0, 2, 5, 7, 6, 2, 5, 7), 1),  # five: more than half
    (7, (0, 0, 3, 3, 6, 6, 6, 6), 2),  # three of the smaller number, 7
    (7, (0, 0, 2, 3, 6, 6, 6, 6), 0),  # four
    (11, (0, 1, 2, 3, 5, 4, 6, 7, 8, 9, 10), 0),  # one step of ten goes backwards: a tenth
    (11, (0, 1, 2, 3, 5, 4, 7, 6, 8, 9, 10), 1),  # two
    (10, (0, 1, 2, 3, 5, 4, 6, 7, 8, 9), 1),  # one of nine
    (12, (0, 5, 6, 7, 8, 9, 10, 11), 0),  # a jump forwards is no step backwards
    (12, (11, 10, 9, 8, 7, 6, 5, 4), 1),
)
FAILURE_COUNTS: tuple[tuple[int, Sequence[int], int], ...] = (
    (9, (0, 4, 4, 4, 4, 4, 8, 8), 2),  # five of eight rows
    (9, (0, 2, 4, 4, 4, 4, 8, 8), 0),  # four: half
    (9, (0, 8, 0, 8, 0, 8, 0, 8), 0),  # never more than half
    (7, (0, 3, 3, 3, 3, 3, 6), 2),
    (2, (0, 0, 0), 2),
    (4, (1, 1), 2),
    (4, (0, 3, 0, 2, 2, 2, 2, 2), 2),  # most of the rows, but not most of the first four
    (3, (0, 2), 0),
)


def counts(builder: ProgramBuilder, name: str) -> list[np.ndarray]:
    """Return sentences at the limits of rules that count, where the rules hold exactly."""
    table = PATTERN_COUNTS if name == PATTERN else FAILURE_COUNTS
    return [counted(builder.generator, columns, peaks, name == FAILURE) for columns, peaks, _ in table]


def single(builder: ProgramBuilder, name: str) -> list[np.ndarray]:
    """Return sentences with a single column, a single row, or one cell, and with two columns."""
    generator = builder.generator
    others = [noise(generator, 1, 5), noise(generator, 4, 2)]
    return [np.ones((4, 1)), counted(generator, 6, (3,), True), np.ones((1, 1)), *others]


def classes(builder: ProgramBuilder, name: str, batch: Batch, write: Callable[..., list[np.ndarray]]) -> None:
    """Call a classifier on the sentences that ``write`` returns."""
    classified(builder, name, (), batch, write(builder, name))
