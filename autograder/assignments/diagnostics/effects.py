"""Public checks of geometry, of gradients by hand, and of two tests of an answer."""

from __future__ import annotations

from autograder.assignments.diagnostics.given import BY_HAND, both, interface, only
from autograder.assignments.diagnostics.programs import ABLATED, GEOMETRY, NORMS, PATHS, PERMUTED, RANKS, USUAL, Answers
from autograder.assignments.diagnostics.speed import SPEED
from autograder.assignments.kit.assertions import DTYPES, GRADIENTS, RIGHT
from autograder.assignments.kit.checks import case, part
from autograder.assignments.kit.kinds import constraint, gradient, value

ANSWERS = Answers(batch=3, length=6, width=4, classes=5, permutations=7)
GEOMETRIES = both("geometry", GEOMETRY, 3, 5, 4, temperature=1.7)
PATH = both("paths", PATHS, 2, 3, 5, 4)
NORM = both("norms", NORMS, 2, 5, 3)
PERMUTATIONS = both("permuted", PERMUTED, ANSWERS)
ABLATIONS = both("ablated", ABLATED, ANSWERS)


CHECKS = (
    *part(
        GEOMETRY,
        interface("geometry", GEOMETRY, 0.5, 2, 4, 3),
        value("geometry-similarities", 2, "attention_geometry: similarities before and after")
        .on(*GEOMETRIES)
        .expects(only("before", "after"), DTYPES),
        value("geometry-gain", 1.5, "attention_geometry: the gain of pairs that read each other")
        .on(*GEOMETRIES)
        .expects(only("gain"), DTYPES),
        gradient("geometry-gradients", 0.5, "The gradient of x").on(GEOMETRIES[0]).expects(GRADIENTS, RIGHT),
        "Speed",
        SPEED[GEOMETRY],
    ),
    *part(
        PATHS,
        interface("paths", PATHS, 0.5, 2, 2, 4, 3),
        value("paths-direct", 1, "gradient_paths: the direct path").on(*PATH).expects(only("direct"), DTYPES),
        value("paths-indirect", 2, "gradient_paths: the indirect path").on(*PATH).expects(only("indirect"), DTYPES),
        constraint("paths-constraint", 1, "gradient_paths is written by hand, without autograd")
        .on(case("paths-traced", USUAL.once, PATHS, 2, 4, 3, 2, call={"trace": True}))
        .expects(BY_HAND[PATHS], RIGHT),
        "Speed",
        SPEED[PATHS],
    ),
    *part(
        NORMS,
        interface("norms", NORMS, 0.5, 2, 3, 4),
        value("norms-values", 2.5, "gradient_norms: norms of the totals").on(*NORM).expects(RIGHT, DTYPES),
        constraint("norms-constraint", 0.5, "gradient_norms is written by hand, without autograd")
        .on(case("norms-traced", USUAL.once, NORMS, 2, 4, 2, call={"trace": True}))
        .expects(BY_HAND[NORMS], RIGHT),
    ),
    *part(
        PERMUTED,
        interface("permuted", PERMUTED, 0.5, Answers(2, 5, 3, 4, 3)),
        value("permuted-distances", 1, "permutation_test: how far each permutation moves the answer")
        .on(*PERMUTATIONS)
        .expects(only("distances"), DTYPES),
        value("permuted-median", 0.5, "permutation_test: the median over permutations")
        .on(*PERMUTATIONS)
        .expects(only("median"), DTYPES),
        "Speed",
        SPEED[PERMUTED],
    ),
    *part(
        ABLATED,
        value("ablated-values", 1.5, "ablation_effects: how far each position moves the answer")
        .on(*ABLATIONS)
        .expects(RIGHT, DTYPES),
        "Speed",
        SPEED[ABLATED],
    ),
    *part(
        RANKS,
        value("ranks-values", 1, "rank_agreement is Kendall's tau")
        .on(
            case("ranks", USUAL.once, RANKS, 4, 7),
            case("ranks-ties", USUAL.once, RANKS, 3, 6, levels=4, dtype="float32"),
        )
        .expects(RIGHT, DTYPES),
    ),
)
