"""Hidden checks of supervision, borders and priors."""

from __future__ import annotations

from autograder.assignments.kit.assertions import DTYPES, GRADIENTS, RIGHT, ZEROS
from autograder.assignments.kit.checks import case, part
from autograder.assignments.kit.kinds import shape, value
from autograder.assignments.variations.hidden import programs
from autograder.assignments.variations.hidden.given import rules, sizes
from autograder.assignments.variations.inputs import DIAGONAL, MONOTONIC, SUPERVISED

CHECKS = (
    *part(
        SUPERVISED,
        value("supervised-sizes", 1.5, "Other sizes, factors and strides, wider tables and sizes of 1, with gradients")
        .on(
            *sizes("supervised-wide", SUPERVISED, (4, 7, 3, 2.0), (2, 6, 5, 0.1), padding=2),
            *sizes("supervised-ones", SUPERVISED, (1, 1, 1, 1.5), (2, 4, 1, 0.5), padding=0),
        )
        .expects(RIGHT, GRADIENTS, DTYPES),
        "Rules",
        rules("supervised", SUPERVISED, 1),
    ),
    *part(
        MONOTONIC,
        value("monotonic-sizes", 1, "Other sizes and strides, sizes of 1, and more rows than positions, with gradients")
        .on(*sizes("monotonic", MONOTONIC, (2, 5, 9), (3, 4, 3), (1, 1, 1), (2, 3, 1)))
        .expects(RIGHT, GRADIENTS, DTYPES),
        value(
            "monotonic-peaks", 1, "A peak at the last position; and several largest weights, of which the first counts"
        )
        .on(*(case(f"hidden-monotonic-{kind}", programs.peaks, kind) for kind in ("last", "equal")))
        .expects(RIGHT, ZEROS),
        value("monotonic-extreme", 0.5, "monotonic_attention with scores of ±10,000")
        .on(case("hidden-monotonic-extreme", programs.extreme_table, MONOTONIC, 2, 3, 7))
        .expects(RIGHT),
        "Rules",
        rules("monotonic", MONOTONIC, 0.5),
    ),
    *part(
        DIAGONAL,
        value("diagonal-sizes", 1, "Other sizes and strides, a sigma of 0.1 and one of 1,000, with gradients")
        .on(
            *sizes("diagonal", DIAGONAL, (3, 4, 9, 2.0), (2, 6, 4, 0.1), padding=2),
            *sizes("diagonal-flat", DIAGONAL, (2, 5, 6, 1000.0)),
        )
        .expects(RIGHT, GRADIENTS, DTYPES, ZEROS),
        shape("diagonal-ones", 0.5, "Sizes of 1, and no padding")
        .on(
            *(
                case(f"hidden-diagonal-ones-{i}", programs.full_lengths, *size)
                for i, size in enumerate([(1, 1, 1, 1.0), (1, 4, 6, 1.5), (2, 1, 5, 0.5)])
            )
        )
        .expects(RIGHT, GRADIENTS),
        value("diagonal-extreme", 0.5, "diagonal_prior_attention with scores of ±10,000")
        .on(case("hidden-diagonal-extreme", programs.extreme_table, DIAGONAL, 2, 4, 6, 1.0))
        .expects(RIGHT),
        "Rules",
        rules("diagonal", DIAGONAL, 0.5),
    ),
)
