"""The calls of ``bottleneck`` that are timed beside the reference: sizes and limits."""

from __future__ import annotations

import numpy as np

from autograder.assignments.bottleneck.programs import CHAIN, CONDITIONAL, MUTUAL
from autograder.assignments.kit.programs import ProgramBuilder
from autograder.assignments.kit.speed import speed, timed

COLUMNS = "values of Y"


def joints(builder: ProgramBuilder, calls: int, *, name: str, rows: int, columns: int) -> None:
    """Call a function of a joint distribution ``calls`` times."""
    for i in range(calls):
        values = _tied(builder, rows, columns)
        joint = builder.array(f"joint{i}", values / values.sum())
        if name == CHAIN:
            mixed = _tied(builder, columns, columns)
            channel = builder.array(f"channel{i}", mixed / mixed.sum(1, keepdims=True))
            builder.call(f"out{i}", name, joint, channel, outputs={"before": (), "after": ()})
        else:
            builder.call(f"out{i}", name, joint, outputs={"bits": ()})


def _tied(builder: ProgramBuilder, rows: int, columns: int) -> np.ndarray:
    """Return positive numbers (rows, columns), about half of each row's sum in one column.

    X and Y tell much of each other. Few bits would be the difference of sums that are nearly equal, and round badly.
    """
    noise = builder.generator.uniform(rows, columns, low=0.01, high=1.0)
    return np.asarray(noise + columns / 2 * (np.arange(columns) == np.arange(rows)[:, None] % columns))


SPEED = {
    name: speed(f"{id}-speed", 0.5, name, timed(id, joints, "columns", COLUMNS, at=at, limit=10, name=name, rows=at))
    for id, name, at in (("conditional", CONDITIONAL, 64), ("mutual", MUTUAL, 64), ("chain", CHAIN, 24))
}
