"""Public checks of coverage and of copying."""

from __future__ import annotations

from autograder.assignments.kit.assertions import DTYPES, GRADIENTS, RIGHT, UNCHANGED
from autograder.assignments.kit.checks import case, part
from autograder.assignments.kit.kinds import gradient, value
from autograder.assignments.kit.observed import by_hand
from autograder.assignments.variations import examples, given
from autograder.assignments.variations.given import both
from autograder.assignments.variations.inputs import COVERAGE, COVERAGE_LOSS, POINTER
from autograder.assignments.variations.speed import SPEED

COVERAGES = both("coverage", COVERAGE, 2, 4, 5, 1.5)
LOSSES = both("coverage-loss", COVERAGE_LOSS, 3, 5, 4)
POINTERS = both("pointer", POINTER, 2, 4, 3, 2, 7, 6, 2)

CHECKS = (
    *part(
        COVERAGE,
        given.interface("coverage", COVERAGE, 0.5, 2, 3, 4, 0.5),
        value("coverage-values", 1.5, "Each row avoids what all earlier rows have seen")
        .on(*COVERAGES)
        .expects(RIGHT, DTYPES),
        gradient("coverage-gradients", 0.5, "The gradient of the scores, through earlier rows too")
        .on(COVERAGES[0])
        .expects(GRADIENTS, RIGHT, UNCHANGED),
        "Rules",
        by_hand("coverage-constraint", COVERAGE, 0.5, COVERAGES[0]),
        "Worked example",
        value("coverage-example", 1, "The worked example of coverage_attention comes out")
        .on(case("coverage-example", examples.coverage))
        .expects(RIGHT),
    ),
    *part(
        COVERAGE_LOSS,
        given.interface("coverage-loss", COVERAGE_LOSS, 0.5, 2, 4, 3),
        value("coverage-loss-values", 1, "The overlap with what was seen, averaged over the real rows of the batch")
        .on(*LOSSES)
        .expects(RIGHT, DTYPES),
        gradient("coverage-loss-gradients", 0.5, "The gradients of weights and of what was seen")
        .on(LOSSES[0])
        .expects(GRADIENTS, RIGHT, UNCHANGED),
        value("coverage-loss-example", 0.5, "The loss of the handout's three rows comes out")
        .on(case("coverage-loss-example", examples.overlap))
        .expects(RIGHT),
    ),
    *part(
        POINTER,
        given.interface("pointer", POINTER, 1, 2, 3, 4, 2, 5, 4, 1),
        value("pointer-values", 3.5, "PointerGenerator gives the right distribution and p_gen")
        .on(*POINTERS)
        .expects(RIGHT, DTYPES),
        gradient("pointer-gradients", 1, "The gradients of all inputs and layers")
        .on(POINTERS[0])
        .expects(GRADIENTS, RIGHT, UNCHANGED),
        "Speed",
        SPEED[POINTER],
    ),
)
