"""The programs of ``variations``'s worked example."""

from __future__ import annotations

from autograder.assignments.kit.programs import ProgramBuilder
from autograder.assignments.variations.inputs import COVERAGE, COVERAGE_LOSS


def coverage(builder: ProgramBuilder) -> None:
    """Compute the handout's example: three rows that prefer the first of two words, and a penalty of 2."""
    scores = builder.example("scores", [[[1.0, 0.0]] * 3])
    builder.call("out", COVERAGE, scores, 2.0, outputs={"weights": (1, 3, 2), "seen": (1, 3, 2)})


def overlap(builder: ProgramBuilder) -> None:
    """Compute the handout's loss: two words are read in turn, and then the first one again."""
    weights = builder.example("weights", [[[1.0, 0.0], [0.0, 1.0], [1.0, 0.0]]])
    seen = builder.example("seen", [[[0.0, 0.0], [1.0, 0.0], [1.0, 1.0]]])
    builder.call("out", COVERAGE_LOSS, weights, seen, builder.array("tgt_lengths", [3]), outputs={"loss": ()})
