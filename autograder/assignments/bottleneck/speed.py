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
        values = builder.generator.uniform(rows, columns, low=0.01, high=1.0)
        joint = builder.array(f"joint{i}", values / values.sum())
        if name == CHAIN:
            mixed = builder.generator.uniform(columns, columns, low=0.01, high=1.0)
            channel = builder.array(f"channel{i}", np.asarray(mixed / mixed.sum(1, keepdims=True)))
            builder.call(f"out{i}", name, joint, channel, outputs={"before": (), "after": ()})
        else:
            builder.call(f"out{i}", name, joint, outputs={"bits": ()})


SPEED = {
    name: speed(f"{id}-speed", 0.5, name, timed(id, joints, "columns", COLUMNS, at=64, limit=10, name=name, rows=64))
    for id, name in (("conditional", CONDITIONAL), ("mutual", MUTUAL), ("chain", CHAIN))
}
