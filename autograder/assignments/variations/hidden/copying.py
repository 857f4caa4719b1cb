"""Hidden checks of coverage and of copying."""

from __future__ import annotations

from autograder.assignments.kit.assertions import DTYPES, GRADIENTS, RIGHT
from autograder.assignments.kit.checks import case, part
from autograder.assignments.kit.kinds import shape, value
from autograder.assignments.kit.observed import by_hand
from autograder.assignments.variations.hidden import programs
from autograder.assignments.variations.hidden.given import rules, sizes
from autograder.assignments.variations.inputs import COVERAGE, COVERAGE_LOSS, POINTER

COVERAGES = sizes("coverage", COVERAGE, (3, 5, 4, 2.5), (1, 3, 6, 0.7), (2, 4, 3, 0.0))

CHECKS = (
    *part(
        COVERAGE,
        value("coverage-sizes", 1.5, "Other sizes, penalties and strides, also a penalty of 0, with gradients")
        .on(*COVERAGES)
        .expects(RIGHT, GRADIENTS, DTYPES),
        shape("coverage-ones", 0.5, "One row, one source position, one sentence")
        .on(*sizes("coverage-ones", COVERAGE, (1, 1, 1, 1.0), (2, 1, 4, 2.0)))
        .expects(RIGHT, GRADIENTS),
        value("coverage-extreme", 0.5, "coverage_attention with scores of ±10,000")
        .on(case("hidden-coverage-extreme", programs.extreme_table, COVERAGE, 2, 3, 4, 1.0))
        .expects(RIGHT),
        "Rules",
        rules("coverage", COVERAGE, 1),
        by_hand("coverage-constraint-hidden", COVERAGE, 0.5, COVERAGES[0]),
    ),
    *part(
        COVERAGE_LOSS,
        value("coverage-loss-sizes", 1.5, "Other sizes and strides, wider tables and sizes of 1, with gradients")
        .on(
            *sizes("coverage-loss-wide", COVERAGE_LOSS, (4, 7, 3), (2, 6, 5), padding=2),
            *sizes("coverage-loss-ones", COVERAGE_LOSS, (1, 1, 1), (2, 4, 1), padding=0),
        )
        .expects(RIGHT, GRADIENTS, DTYPES),
        "Rules",
        rules("coverage-loss", COVERAGE_LOSS, 1),
    ),
    *part(
        POINTER,
        value("pointer-sizes", 2, "Other sizes and strides, with gradients")
        .on(*sizes("pointer", POINTER, (3, 2, 5, 4, 9, 7, 3), (2, 5, 3, 3, 4, 8, 1)))
        .expects(RIGHT, GRADIENTS, DTYPES),
        shape("pointer-ones", 0.5, "Sizes of 1")
        .on(*sizes("pointer-ones", POINTER, (1, 1, 1, 1, 1, 1, 0), (2, 3, 1, 2, 5, 1, 1)))
        .expects(RIGHT, GRADIENTS),
        value("pointer-words", 2, "Sources of one word, sources of words that the vocabulary lacks, and no such word")
        .on(*(case(f"hidden-pointer-{kind}", programs.words, kind) for kind in ("one", "outside", "inside")))
        .expects(RIGHT, GRADIENTS),
        value("pointer-gates", 1, "A p_gen near 0, and one near 1")
        .on(*(case(f"hidden-pointer-gate{i}", programs.gates, bias) for i, bias in enumerate((-12.0, 12.0))))
        .expects(RIGHT, GRADIENTS),
        "Rules",
        rules("pointer", POINTER, 1),
    ),
)
