"""The programs of ``bottleneck``'s worked examples."""

from __future__ import annotations

import numpy as np

from autograder.assignments.bottleneck.programs import CHAIN, MUTUAL, USUAL
from autograder.assignments.kit.programs import ProgramBuilder

JOINT = [[0.5, 0.0], [0.25, 0.25]]
CHANNEL = [[0.75, 0.25], [0.25, 0.75]]


def mutual(builder: ProgramBuilder) -> None:
    """Compute the handout's example: a word that says something about another one."""
    if builder.generator.redraws:  # it must sum to 1
        USUAL.once(builder, MUTUAL, 2, 2)
    else:
        builder.call("out", MUTUAL, builder.array("joint", np.array(JOINT)), outputs={"bits": ()})


def chain(builder: ProgramBuilder) -> None:
    """Compute the handout's example: the same, seen through a channel that mixes two words up."""
    if builder.generator.redraws:
        USUAL.once(builder, CHAIN, 2, 2, 2)
    else:
        given = [builder.array("joint", np.array(JOINT)), builder.array("channel", np.array(CHANNEL))]
        builder.call("out", CHAIN, *given, outputs={"before": (), "after": ()})
