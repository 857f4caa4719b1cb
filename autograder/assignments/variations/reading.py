"""Public checks of several hops, both directions, feature maps and pyramids."""

from __future__ import annotations

from autograder.assignments.kit.assertions import DTYPES, GRADIENTS, RIGHT, UNCHANGED, ZEROS, expect
from autograder.assignments.kit.checks import case, part
from autograder.assignments.kit.kinds import gradient, interface, mask, value
from autograder.assignments.kit.observed import by_hand
from autograder.assignments.variations import given
from autograder.assignments.variations.given import both
from autograder.assignments.variations.inputs import BIDAF, HOPS, PYRAMID, SPATIAL
from autograder.assignments.variations.programs import USUAL, similarity
from autograder.assignments.variations.speed import SPEED

HOP = both("hops", HOPS, 2, 5, 3, 3)
SIMILARITY = case("bidaf-similarity", similarity, 2, 4, 3, 5)
BOTH = both("bidaf", BIDAF, 3, 5, 4, 3)
MAPS = both("spatial", SPATIAL, 2, 3, 4, 2, 5)
PYRAMIDS = both("pyramid", PYRAMID, 3, 7, 3, 2, 2)
ERROR = "ValueError"

CHECKS = (
    *part(
        HOPS,
        given.interface("hops", HOPS, 0.5, 2, 4, 3, 2),
        interface("hops-errors", 0.5, "Fewer hops than one raise ValueError")
        .on(case("hops-errors", USUAL.refused, HOPS, [(1, 3, 2, 0), (1, 3, 2, -1)], (1, 3, 2, 1)))
        .expects(expect("raises", "bad0", "bad1", error=ERROR), RIGHT),
        value("hops-values", 1.5, "multi_hop asks again with what it found").on(*HOP).expects(RIGHT, DTYPES),
        gradient("hops-gradients", 0.5, "The gradients of query and memory, through all hops")
        .on(HOP[0])
        .expects(GRADIENTS, RIGHT, UNCHANGED),
        "Rules",
        by_hand("hops-constraint", HOPS, 0.5, HOP[0]),
    ),
    *part(
        BIDAF,
        given.interface("bidaf", BIDAF, 1, 2, 4, 3, 2),
        value("bidaf-similarity", 1.5, "similarity gives the score of each pair of words")
        .on(SIMILARITY)
        .expects(RIGHT, GRADIENTS, UNCHANGED),
        value("bidaf-values", 1.5, "BiDAF joins the words with what they found in both directions")
        .on(*BOTH)
        .expects(RIGHT, DTYPES),
        mask("bidaf-padding", 0.5, "Rows of padding are exactly 0").on(*BOTH).expects(ZEROS, RIGHT),
        gradient("bidaf-gradients", 1, "The gradients of context, question and layer")
        .on(BOTH[0])
        .expects(GRADIENTS, RIGHT, UNCHANGED),
        "Rules",
        by_hand("bidaf-constraint", BIDAF, 0.5, BOTH[0]),
        "Speed",
        SPEED[BIDAF],
    ),
    *part(
        SPATIAL,
        given.interface("spatial", SPATIAL, 1, 2, 4, 3, 3, 2),
        value("spatial-values", 2, "SpatialAttention attends to the places of each image")
        .on(*MAPS)
        .expects(RIGHT, DTYPES),
        gradient("spatial-gradients", 0.5, "The gradients of features, state and layer")
        .on(MAPS[0])
        .expects(GRADIENTS, RIGHT, UNCHANGED),
        "Rules",
        by_hand("spatial-constraint", SPATIAL, 0.5, MAPS[0]),
    ),
    *part(
        PYRAMID,
        given.interface("pyramid", PYRAMID, 1, 2, 5, 2, 2, 2),
        value("pyramid-values", 3, "PyramidalEncoder halves the frames in each layer")
        .on(*PYRAMIDS)
        .expects(RIGHT, DTYPES),
        mask("pyramid-padding", 0.5, "States are exactly 0 from the new length of a sentence on")
        .on(*PYRAMIDS)
        .expects(ZEROS, RIGHT),
        gradient("pyramid-gradients", 1, "The gradients of frames and layers")
        .on(PYRAMIDS[0])
        .expects(GRADIENTS, RIGHT, UNCHANGED),
    ),
)
