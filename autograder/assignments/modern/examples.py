"""The programs of ``modern``'s worked examples."""

from __future__ import annotations

from autograder.assignments.kit.programs import ProgramBuilder
from autograder.assignments.modern.programs import ROTARY, STREAMED

KEYS, VALUES = [[[0.0], [2.0], [1.0]]], [[[1.0], [2.0], [6.0]]]


def streamed(builder: ProgramBuilder) -> None:
    """Compute the handout's example: one query, three keys of width 1, blocks of two."""
    given = {"query": [[[1.0]]], "key": KEYS, "value": VALUES}
    args = [builder.example(name, values) for name, values in given.items()]
    builder.call("out", STREAMED, *args, 2, outputs={"result": (1, 1, 1)})


def rotary(builder: ProgramBuilder) -> None:
    """Compute the handout's example: one row of width 4 at the positions 0 and 1."""
    x = builder.example("x", [[1.0, 2.0, 3.0, 4.0], [1.0, 2.0, 3.0, 4.0]])
    positions = builder.array("positions", [0, builder.generator.near(1)])
    builder.call("out", ROTARY, x, positions, outputs={"result": (2, 4)})
