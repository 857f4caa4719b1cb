"""Public checks of rotary positions, grouped heads with their cache, the block, and the costs."""

from __future__ import annotations

from autograder.assignments.kit.assertions import DTYPES, GRADIENTS, RIGHT, UNCHANGED, expect, right
from autograder.assignments.kit.checks import case, part
from autograder.assignments.kit.kinds import gradient, interface, value
from autograder.assignments.kit.observed import by_hand
from autograder.assignments.modern import examples, given
from autograder.assignments.modern.given import both
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
    costs,
    pairs,
    uneven,
)

TURNS = both("rotary", ROTARY, 2, 3, 5, 8)
BASES = both("rotary-base", ROTARY, 2, 4, 6, base=100.0)
GROUPS = both("grouped", GROUPED, 2, 6, 3, 5, 5, 4, 2)
LATE = both("grouped-late", GROUPED, 2, 4, 2, 2, 5, 3, 4)
SIZE = Heads(batch=2, length=5, heads=4, groups=2, d_h=4)
LAYERS = both("layer", LAYER, SIZE)
EXTENDED = both("extend", EXTEND, SIZE._replace(length=3), 4)
STARTED = both("extend-empty", EXTEND, SIZE._replace(length=2), 0)
BLOCKS = both("block", BLOCK, Heads(2, 4, 2, 1, 4, d_ff=5))
ERROR = "ValueError"

CHECKS = (
    *part(
        ROTARY,
        given.interface("rotary", ROTARY, 0.5, 2, 3, 4),
        interface("rotary-errors", 0.5, "An odd width raises ValueError")
        .on(case("rotary-errors", USUAL.refused, ROTARY, [(2, 3, 5)], (2, 3, 4)))
        .expects(expect("raises", "bad0", error=ERROR), RIGHT),
        value("rotary-values", 3, "apply_rotary turns column i with column i + d/2 by the right angles")
        .on(*TURNS, *BASES)
        .expects(RIGHT, DTYPES),
        gradient("rotary-gradients", 1, "The gradient of x").on(TURNS[0]).expects(GRADIENTS, RIGHT, UNCHANGED),
        "Worked example",
        value("rotary-example", 1, "The worked example of apply_rotary comes out")
        .on(case("rotary-example", examples.rotary))
        .expects(RIGHT),
    ),
    *part(
        GROUPED,
        given.interface("grouped", GROUPED, 0.5, 2, 4, 2, 3, 3, 2, 3),
        interface("grouped-errors", 1, "Groups that do not divide the heads, and too many queries, raise ValueError")
        .on(
            case(
                "grouped-errors",
                USUAL.refused,
                GROUPED,
                [(1, 4, 3, 2, 2, 2, 2), (1, 2, 1, 4, 3, 2, 2)],
                (1, 4, 2, 2, 3, 2, 2),
            )
        )
        .expects(expect("raises", "bad0", "bad1", error=ERROR), RIGHT),
        value("grouped-values", 2, "grouped_attention: shared key heads, and queries at the end of the keys")
        .on(*GROUPS, *LATE)
        .expects(RIGHT, DTYPES),
        gradient("grouped-gradients", 1, "The gradients of query, key and value")
        .on(GROUPS[0], LATE[0])
        .expects(GRADIENTS, RIGHT, UNCHANGED),
        "Rules",
        by_hand("grouped-constraint", GROUPED, 1, GROUPS[0]),
    ),
    *part(
        LAYER,
        given.interface("layer", LAYER, 1, Heads(2, 3, 2, 1, 2)),
        interface("layer-errors", 0.5, "Sizes that do not fit raise ValueError")
        .on(case("layer-errors", uneven, [(10, 4, 2), (12, 6, 4), (6, 2, 1)], Heads(2, 3, 2, 2, 4)))
        .expects(expect("raises", "bad0", "bad1", "bad2", error=ERROR), RIGHT),
        value("layer-values", 1.5, "GroupedQueryAttention gives the right output for a whole sentence")
        .on(*LAYERS)
        .expects(RIGHT, DTYPES),
        value("layer-extend", 1.5, "extend gives the right output and the longer cache")
        .on(*EXTENDED, *STARTED)
        .expects(RIGHT, DTYPES, UNCHANGED),
        gradient("layer-gradients", 0.5, "The gradients of words, cache and layers")
        .on(LAYERS[0], EXTENDED[0])
        .expects(GRADIENTS, RIGHT),
        "Rules",
        by_hand("layer-constraint", LAYER, 0.5, LAYERS[0]),
    ),
    *part(
        BLOCK,
        given.interface("block", BLOCK, 1, Heads(2, 3, 2, 1, 2, d_ff=3)),
        value("block-values", 1.5, "TransformerBlock gives the right output").on(*BLOCKS).expects(RIGHT, DTYPES),
        gradient("block-gradients", 0.5, "The gradients of words, norms and layers")
        .on(BLOCKS[0])
        .expects(GRADIENTS, RIGHT, UNCHANGED),
        "Rules",
        by_hand("block-constraint", BLOCK, 0.5, BLOCKS[0]),
    ),
    *part(
        COSTS,
        value("costs-values", 2, "attention_costs counts operations, bytes of weights and bytes of the cache")
        .on(case("costs", costs, 2, 8, 2, 5, 7, 3, 2), case("costs-other", costs, 3, 6, 3, 1, 11, 4, 8))
        .expects(RIGHT),
    ),
    *part(
        PAIRS,
        value("pairs-values", 1.5, "visible_pairs counts each pair once, edges included")
        .on(case("pairs", pairs, (10, 2, 3), (13, 1, 4), (9, 3, 20)))
        .expects(right("out0", "out1", "out2")),
    ),
)
