"""Public checks of supervision, borders and priors."""

from __future__ import annotations

from autograder.assignments.kit.assertions import DTYPES, GRADIENTS, RIGHT, UNCHANGED, ZEROS
from autograder.assignments.kit.checks import part
from autograder.assignments.kit.kinds import gradient, value
from autograder.assignments.kit.observed import by_hand
from autograder.assignments.variations import given
from autograder.assignments.variations.given import both
from autograder.assignments.variations.inputs import DIAGONAL, MONOTONIC, SUPERVISED

TAUGHT = both("supervised", SUPERVISED, 3, 5, 4, 0.7)
FORWARD = both("monotonic", MONOTONIC, 3, 4, 8)
NEAR = both("diagonal", DIAGONAL, 3, 5, 7, 1.2)

CHECKS = (
    *part(
        SUPERVISED,
        given.interface("supervised", SUPERVISED, 0.5, 2, 4, 3, 0.4),
        value(
            "supervised-values", 1.5, "The loss of the task, and the mean distance of real rows from the gold weights"
        )
        .on(*TAUGHT)
        .expects(RIGHT, DTYPES),
        gradient("supervised-gradients", 0.5, "The gradients of the task's loss, of weights and of gold weights")
        .on(TAUGHT[0])
        .expects(GRADIENTS, RIGHT, UNCHANGED),
    ),
    *part(
        MONOTONIC,
        given.interface("monotonic", MONOTONIC, 0.5, 2, 3, 5),
        value("monotonic-values", 1.5, "No row looks before the peak of the row before")
        .on(*FORWARD)
        .expects(RIGHT, DTYPES, ZEROS),
        gradient("monotonic-gradients", 0.5, "The gradient of the scores")
        .on(FORWARD[0])
        .expects(GRADIENTS, RIGHT, UNCHANGED),
        "Rules",
        by_hand("monotonic-constraint", MONOTONIC, 0.5, FORWARD[0]),
    ),
    *part(
        DIAGONAL,
        given.interface("diagonal", DIAGONAL, 0.5, 2, 4, 5, 0.8),
        value("diagonal-values", 1, "The prior follows the diagonal of each sentence, and padding gets no weight")
        .on(*NEAR)
        .expects(RIGHT, DTYPES, ZEROS),
        gradient("diagonal-gradients", 0.5, "The gradient of the scores")
        .on(NEAR[0])
        .expects(GRADIENTS, RIGHT, UNCHANGED),
        "Rules",
        by_hand("diagonal-constraint", DIAGONAL, 0.5, NEAR[0]),
    ),
)
