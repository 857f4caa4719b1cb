"""Hidden checks of rotary positions, grouped heads with their cache, the block, and the costs."""

from __future__ import annotations

from autograder.assignments.kit.assertions import DTYPES, GRADIENTS, RIGHT, expect, right
from autograder.assignments.kit.checks import case, part
from autograder.assignments.kit.kinds import interface, invariance, shape, value
from autograder.assignments.kit.observed import by_hand
from autograder.assignments.modern.hidden import programs
from autograder.assignments.modern.hidden.given import rules, sizes
from autograder.assignments.modern.programs import (
    BLOCK,
    COSTS,
    EXTEND,
    GROUPED,
    LAYER,
    PAIRS,
    ROTARY,
    USUAL,
    Heads,
    uneven,
)

GROUPS = sizes(
    "grouped", GROUPED, (3, 6, 2, 4, 7, 2, 3), (1, 4, 4, 5, 5, 3, 2), (2, 3, 1, 2, 6, 4, 1), (2, 4, 2, 3, 4, 5, 2)
)
LAYERS = sizes("layer", LAYER, (Heads(3, 6, 6, 2, 2),), (Heads(1, 4, 2, 2, 4),), (Heads(2, 3, 3, 1, 6),))
EXTENDED = sizes("extend", EXTEND, (Heads(3, 1, 4, 2, 2), 5), (Heads(1, 6, 2, 1, 4), 2), (Heads(2, 3, 3, 3, 2), 0))
BLOCKS = sizes("block", BLOCK, (Heads(3, 5, 2, 2, 2, 7),), (Heads(1, 4, 4, 2, 4, 3),), (Heads(2, 6, 1, 1, 6, 9),))
ERROR = "ValueError"

CHECKS = (
    *part(
        ROTARY,
        value("rotary-far", 1.5, "Positions up to 9,999, in any order, some of them twice")
        .on(case("hidden-rotary-far", programs.far_positions), *sizes("rotary-late", ROTARY, (5, 4), farthest=5000))
        .expects(RIGHT),
        value("rotary-sizes", 2, "Any number of leading axes, any even width, with gradients")
        .on(*sizes("rotary", ROTARY, (3, 4, 10), (2, 3, 5, 2), (7, 6), (2, 4, 12), (1, 1, 2)))
        .expects(RIGHT, GRADIENTS, DTYPES),
        value("rotary-bases", 1, "Other bases")
        .on(*sizes("rotary-base", ROTARY, (2, 5, 8), base=500000.0), *sizes("rotary-low", ROTARY, (4, 6), base=10.0))
        .expects(RIGHT),
        invariance("rotary-moved", 0.5, "The same rows at later positions")
        .on(case("hidden-rotary-moved", programs.relative))
        .expects(right("first", "out")),
        "Rules",
        rules("rotary", ROTARY, 1, ROTARY),
    ),
    *part(
        GROUPED,
        value("grouped-sizes", 2, "Multi-head, multi-query and grouped attention of other sizes, with gradients")
        .on(*GROUPS)
        .expects(RIGHT, GRADIENTS, DTYPES),
        shape("grouped-ones", 0.5, "Sizes of 1")
        .on(*sizes("grouped-ones", GROUPED, (1, 1, 1, 1, 1, 1, 1), (2, 2, 1, 1, 5, 3, 1), (1, 4, 2, 3, 3, 1, 2)))
        .expects(RIGHT, GRADIENTS),
        interface("grouped-errors-hidden", 0.5, "Other sizes that do not fit raise ValueError")
        .on(
            case(
                "hidden-grouped-errors",
                USUAL.refused,
                GROUPED,
                [(2, 2, 4, 2, 3, 2, 2), (1, 5, 2, 2, 2, 2, 2), (2, 2, 2, 3, 2, 4, 1)],
                (2, 6, 3, 2, 3, 2, 2),
            )
        )
        .expects(expect("raises", "bad0", "bad1", "bad2", error=ERROR), RIGHT),
        value("grouped-extreme", 0.5, "Scores of ±10,000, of which hidden ones are larger")
        .on(case("hidden-grouped-extreme", programs.extreme_groups, GROUPED, 2, 4, 2, 7, 7, 4, 3))
        .expects(RIGHT),
        "Rules",
        rules("grouped", GROUPED, 1, GROUPED),
        by_hand("grouped-constraint-hidden", GROUPED, 1, GROUPS[0]),
    ),
    *part(
        LAYER,
        value("layer-sizes", 1.5, "Other numbers of heads and words, and strides, with gradients")
        .on(*LAYERS, *EXTENDED)
        .expects(RIGHT, GRADIENTS, DTYPES),
        shape("layer-ones", 0.5, "One word, one head, one sentence")
        .on(
            *sizes("layer-ones", LAYER, (Heads(1, 1, 1, 1, 2),), (Heads(2, 1, 4, 2, 2),)),
            *sizes("extend-ones", EXTEND, (Heads(1, 1, 1, 1, 2), 0), (Heads(1, 1, 2, 1, 2), 1)),
        )
        .expects(RIGHT, GRADIENTS),
        invariance("layer-pieces", 1.5, "A sentence in pieces of any lengths: the outputs are those of forward")
        .on(
            case("hidden-layer-pieces", programs.pieces, Heads(2, 0, 4, 2, 2), (2, 1, 4)),
            case("hidden-layer-words", programs.pieces, Heads(2, 0, 2, 1, 4), (1, 1, 1)),
        )
        .expects(right("piece0", "piece1", "piece2", "out")),
        interface("layer-errors-hidden", 0.5, "Other sizes that do not fit raise ValueError")
        .on(case("hidden-layer-errors", uneven, [(14, 4, 4), (8, 4, 3), (9, 3, 1), (5, 1, 1)], Heads(2, 3, 3, 1, 2)))
        .expects(expect("raises", "bad0", "bad1", "bad2", "bad3", error=ERROR), RIGHT),
        "Rules",
        rules("layer", LAYER, 1, LAYER, EXTEND),
        by_hand("layer-constraint-hidden", LAYER, 0.5, LAYERS[0], EXTENDED[0]),
    ),
    *part(
        BLOCK,
        value("block-sizes", 1.5, "Other widths and heads, with gradients")
        .on(*BLOCKS)
        .expects(RIGHT, GRADIENTS, DTYPES),
        shape("block-ones", 0.5, "One word, one sentence, a hidden layer of width 1")
        .on(*sizes("block-ones", BLOCK, (Heads(1, 1, 1, 1, 2, 1),), (Heads(2, 1, 2, 1, 2, 1),)))
        .expects(RIGHT, GRADIENTS),
        "Rules",
        rules("block", BLOCK, 1, BLOCK),
        by_hand("block-constraint-hidden", BLOCK, 0.5, BLOCKS[0]),
    ),
    *part(
        COSTS,
        value("costs-sizes", 2, "Other sizes, and the default of four bytes")
        .on(case("hidden-costs", programs.default_bytes))
        .expects(right("out", "half", "one")),
    ),
    *part(
        PAIRS,
        value("pairs-sizes", 1, "Radius 0, wide windows, long strides, and length 1")
        .on(case("hidden-pairs", programs.tables_of_pairs))
        .expects(right(*(f"out{i}" for i in range(9)))),
        value("pairs-many", 0.5, "A million positions")
        .on(case("hidden-pairs-many", programs.many_pairs))
        .expects(RIGHT),
    ),
)
