"""Hidden checks of several hops, both directions, feature maps and pyramids."""

from __future__ import annotations

from autograder.assignments.kit.assertions import DTYPES, GRADIENTS, RIGHT, ZEROS, right
from autograder.assignments.kit.checks import case, part
from autograder.assignments.kit.kinds import invariance, mask, shape, value
from autograder.assignments.kit.observed import by_hand
from autograder.assignments.variations.hidden import programs
from autograder.assignments.variations.hidden.given import rules, sizes
from autograder.assignments.variations.inputs import BIDAF, HOPS, PYRAMID, SPATIAL

HOP = sizes("hops", HOPS, (3, 4, 2, 4), (1, 6, 5, 2), (2, 5, 4, 1))
BOTH = sizes("bidaf", BIDAF, (3, 6, 3, 2), (2, 3, 5, 4), (2, 4, 4, 3))
MAPS = sizes("spatial", SPATIAL, (3, 4, 2, 3, 2), (2, 2, 5, 3, 4), (1, 5, 3, 3, 3))

CHECKS = (
    *part(
        HOPS,
        value("hops-sizes", 1, "Other sizes, hops and strides, also a single hop, with gradients")
        .on(*HOP)
        .expects(RIGHT, GRADIENTS, DTYPES),
        shape("hops-ones", 0.5, "One position, one sentence, vectors of width 1")
        .on(*sizes("hops-ones", HOPS, (1, 1, 1, 2), (1, 4, 2, 3), (2, 3, 1, 2)))
        .expects(RIGHT, GRADIENTS),
        value("hops-extreme", 0.5, "multi_hop with scores of ±10,000")
        .on(case("hidden-hops-extreme", programs.extreme, HOPS, "query", 1e4, 2, 5, 3, 3))
        .expects(RIGHT),
        "Rules",
        rules("hops", HOPS, 1),
        by_hand("hops-constraint-hidden", HOPS, 0.5, HOP[0]),
    ),
    *part(
        BIDAF,
        value("bidaf-sizes", 2, "Other sizes, masks and strides, with gradients")
        .on(*BOTH)
        .expects(RIGHT, GRADIENTS, DTYPES),
        shape("bidaf-ones", 1, "A question of one word, a context of one word, and sizes of 1")
        .on(*sizes("bidaf-ones", BIDAF, (2, 4, 1, 3), (3, 1, 4, 2), (1, 1, 1, 1)))
        .expects(RIGHT, GRADIENTS),
        mask("bidaf-masks", 1, "Whatever stands in the padding of context and question, the real rows stay the same")
        .on(case("hidden-bidaf-padded", programs.padded, 3, 5, 4, 2))
        .expects(right("first", "out"), ZEROS),
        value("bidaf-extreme", 1, "BiDAF with scores of ±10,000")
        .on(
            case("hidden-bidaf-extreme", programs.extreme, BIDAF, "layer.w.weight", 1e4, 2, 4, 3, 2),
            case("hidden-bidaf-low", programs.low_words),
        )
        .expects(RIGHT),
        "Rules",
        rules("bidaf", BIDAF, 1.5),
        by_hand("bidaf-constraint-hidden", BIDAF, 0.5, BOTH[0]),
    ),
    *part(
        SPATIAL,
        value("spatial-sizes", 1.5, "Other sizes and strides, also square maps, with gradients")
        .on(*MAPS)
        .expects(RIGHT, GRADIENTS, DTYPES),
        shape("spatial-ones", 0.5, "Maps of one row, of one column, and of one place")
        .on(*sizes("spatial-ones", SPATIAL, (2, 3, 2, 1, 4), (2, 2, 3, 4, 1), (1, 1, 1, 1, 1)))
        .expects(RIGHT, GRADIENTS),
        value("spatial-extreme", 0.5, "SpatialAttention with scores of ±10,000")
        .on(case("hidden-spatial-extreme", programs.extreme, SPATIAL, "state", 1e4, 2, 4, 4, 3, 2))
        .expects(RIGHT),
        "Rules",
        rules("spatial", SPATIAL, 1),
        by_hand("spatial-constraint-hidden", SPATIAL, 0.5, MAPS[0]),
    ),
    *part(
        PYRAMID,
        value("pyramid-sizes", 2, "Other sizes, layers and strides, odd lengths in any layer, with gradients")
        .on(
            *sizes("pyramid", PYRAMID, (2, 9, 2, 3, 3), (3, 6, 3, 2, 1)),
            *sizes("pyramid-odd", PYRAMID, (3, 12, 2, 2, 2), given=(5, 12, 7)),
        )
        .expects(RIGHT, GRADIENTS, DTYPES),
        shape("pyramid-ones", 1, "A length of 1, one frame, and sizes of 1")
        .on(
            *sizes("pyramid-one", PYRAMID, (1, 1, 1, 1, 2), given=(1,)),
            *sizes("pyramid-ones", PYRAMID, (2, 5, 2, 2, 3), given=(1, 5)),
        )
        .expects(RIGHT, GRADIENTS),
        invariance("pyramid-loud", 1, "Large numbers in the padding change nothing")
        .on(*sizes("pyramid-loud", PYRAMID, (3, 8, 2, 3, 2), given=(3, 6, 5), loud=1e4))
        .expects(RIGHT, ZEROS, GRADIENTS),
        "Rules",
        rules("pyramid", PYRAMID, 1.5),
    ),
)
