"""Hidden checks of geometry, of gradients by hand, and of two tests of an answer."""

from __future__ import annotations

from autograder.assignments.diagnostics.given import AT_ZERO, BY_HAND
from autograder.assignments.diagnostics.hidden import programs
from autograder.assignments.diagnostics.hidden.given import rules, sizes
from autograder.assignments.diagnostics.programs import ABLATED, GEOMETRY, NORMS, PATHS, PERMUTED, RANKS, USUAL, Answers
from autograder.assignments.kit.assertions import DTYPES, GRADIENTS, RIGHT, only_in, right
from autograder.assignments.kit.checks import case, part
from autograder.assignments.kit.kinds import constraint, gradient, mask, shape, value

TIED = sizes("ranks", RANKS, (3, 6), (2, 9), (4, 5), gradient=False, levels=4)
SINGLE_RANKS = case("hidden-ranks-single", programs.single_rank)
CHECKS = (
    *part(
        GEOMETRY,
        value("geometry-sizes", 2, "attention_geometry for other sizes, strides and temperatures, with its gradient")
        .on(
            *sizes("geometry", GEOMETRY, (2, 7, 3), (1, 4, 5), (4, 2, 2), temperature=0.6),
            *sizes("geometry-default", GEOMETRY, (2, 3, 6), (3, 6, 1)),
        )
        .expects(RIGHT, GRADIENTS, DTYPES),
        mask("geometry-zeros", 1.5, "A row of zeros has the similarity 0, and gradients are finite")
        .on(case("hidden-geometry-zeros", programs.zero_rows))
        .expects(RIGHT, GRADIENTS),
        "Shapes",
        shape("geometry-ones", 1, "attention_geometry of one position")
        .on(*sizes("geometry-ones", GEOMETRY, (3, 1, 4), (1, 1, 1)))
        .expects(RIGHT, GRADIENTS),
        "Rules",
        rules(GEOMETRY),
    ),
    *part(
        PATHS,
        value("paths-sizes", 2, "gradient_paths for other sizes and strides, with its gradient")
        .on(*sizes("paths", PATHS, (3, 4, 7, 2), (1, 5, 2, 6), (2, 3, 3, 3), (2, 1, 1, 1)))
        .expects(RIGHT, GRADIENTS, DTYPES),
        value("paths-extreme", 1, "gradient_paths for scores of ±10,000")
        .on(case("hidden-paths-extreme", programs.extreme_paths, pinned=True))
        .expects(right(of_largest=1e-6)),
        constraint("paths-constraint-hidden", 2, "By hand on other inputs too")
        .on(case("hidden-paths-traced", USUAL.once, PATHS, 3, 2, 4, 5, call={"trace": True}))
        .expects(BY_HAND[PATHS], RIGHT),
        "Rules",
        rules(PATHS),
    ),
    *part(
        NORMS,
        value("norms-sizes", 1.5, "gradient_norms for other sizes and strides, with its gradient")
        .on(*sizes("norms", NORMS, (3, 7, 2), (1, 4, 5), (2, 1, 3), (4, 2, 1)))
        .expects(RIGHT, GRADIENTS, DTYPES),
        gradient("norms-zero", 1, "A total of 0 has the norm 0, with a finite gradient")
        .on(case("hidden-norms-zero", programs.silent_norms))
        .expects(RIGHT, AT_ZERO),
        constraint("norms-constraint-hidden", 0.5, "By hand for other states too")
        .on(case("hidden-norms-traced", USUAL.once, NORMS, 3, 5, 2, call={"trace": True}))
        .expects(BY_HAND[NORMS], RIGHT),
        "Rules",
        rules(NORMS),
    ),
    *part(
        PERMUTED,
        value("permuted-sizes", 2, "permutation_test for other sizes and strides, with its gradient")
        .on(
            *sizes(
                "permuted", PERMUTED, (Answers(2, 7, 3, 4, 5),), (Answers(4, 5, 2, 2, 1),), (Answers(1, 3, 1, 3, 3),)
            )
        )
        .expects(RIGHT, GRADIENTS, DTYPES),
        "Rules",
        rules(PERMUTED),
    ),
    *part(
        ABLATED,
        value("ablated-sizes", 0.5, "ablation_effects for other sizes, and where one position has all the weight")
        .on(
            *sizes("ablated", ABLATED, (Answers(2, 7, 3, 4),), (Answers(4, 5, 2, 2),), (Answers(1, 2, 1, 3),)),
            case("hidden-ablated-full", programs.full_weight),
        )
        .expects(RIGHT, DTYPES, GRADIENTS),
        "Rules",
        rules(ABLATED),
    ),
    *part(
        RANKS,
        value("ranks-ties", 0.5, "rank_agreement with ties, and for one or two positions")
        .on(*TIED, SINGLE_RANKS)
        .expects(only_in(TIED, RIGHT, DTYPES), only_in([SINGLE_RANKS], right("one", "two", "many"))),
        "Rules",
        rules(RANKS),
    ),
)
