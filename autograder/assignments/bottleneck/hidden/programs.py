"""The programs of ``bottleneck``'s hidden cases."""

from __future__ import annotations

import numpy as np

from autograder.assignments.bottleneck.programs import CHAIN, ENTROPY, table
from autograder.assignments.kit.programs import ProgramBuilder

BITS = {"bits": ()}


def certain(builder: ProgramBuilder) -> None:
    """Call entropy_bits where one value is certain, where two are equally likely, and on other rows."""
    values = table(builder, 4, 5)
    values[0], values[1] = np.eye(5)[3], [0.5, 0.0, 0.0, 0.5, 0.0]
    given = builder.array("probabilities", values)
    builder.call("out", ENTROPY, given, outputs={"entropy": (4,)}, gradient=True)


def related(builder: ProgramBuilder, name: str) -> None:
    """Call a function of a joint distribution as ``alone``, X and Y independent, and as ``equal``, Y = X."""
    of_x, of_y = table(builder, 5), table(builder, 4)
    builder.call("alone", name, builder.array("independent", np.outer(of_x, of_y)), outputs=BITS)
    builder.call("equal", name, builder.array("diagonal", np.diag(of_x)), outputs=BITS)


def forgetting(builder: ProgramBuilder) -> None:
    """Call processing_chain as ``out`` with a channel that forgets everything, as ``kept`` with one that keeps all."""
    joint = builder.array("joint", table(builder, 4, 3, axes=2))
    forgets = builder.array("forgets", np.tile(table(builder, 5), (3, 1)))
    keeps = builder.array("keeps", np.eye(3)[builder.generator.permutation(3)])
    for into, channel in (("out", forgets), ("kept", keeps)):
        builder.call(into, CHAIN, joint, channel, outputs={"before": (), "after": ()})
