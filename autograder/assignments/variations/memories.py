"""Public checks of memories, of Luong's score with heads, and of retrieval."""

from __future__ import annotations

from autograder.assignments.kit.assertions import DTYPES, GRADIENTS, RIGHT, UNCHANGED, expect
from autograder.assignments.kit.checks import case, part
from autograder.assignments.kit.kinds import gradient, interface, value
from autograder.assignments.kit.observed import by_hand
from autograder.assignments.variations import given
from autograder.assignments.variations.given import both
from autograder.assignments.variations.inputs import ADDRESS, LUONG, READ, TOP_K, WRITE
from autograder.assignments.variations.programs import USUAL, uneven

ADDRESSED = both("address", ADDRESS, 2, 5, 3)
READS = both("read", READ, 2, 5, 3)
WRITES = both("write", WRITE, 2, 5, 3)
HEADS = both("heads", LUONG, 2, 3, 5, 6, 4, 2)
BEST = both("top-k", TOP_K, 2, 3, 6, 4, 5, 3)
ERROR = "ValueError"

CHECKS = (
    *part(
        ADDRESS,
        given.interface("address", ADDRESS, 0.5, 2, 4, 2),
        value("address-values", 0.5, "memory_address finds the rows of a memory by their cosine with the key")
        .on(*ADDRESSED)
        .expects(RIGHT, DTYPES),
        gradient("address-gradients", 0.5, "The gradients of memory, key and strength")
        .on(ADDRESSED[0])
        .expects(GRADIENTS, RIGHT, UNCHANGED),
        "Rules",
        by_hand("address-constraint", ADDRESS, 0.5, ADDRESSED[0]),
    ),
    *part(
        READ,
        value("read-values", 0.5, "memory_read gives the weighted sum of the rows, with gradients")
        .on(*READS)
        .expects(RIGHT, DTYPES, GRADIENTS, UNCHANGED),
    ),
    *part(
        WRITE,
        given.interface("write", WRITE, 0.5, 2, 4, 2),
        value("write-values", 0.5, "memory_write erases, then adds, as far as the weights say")
        .on(*WRITES)
        .expects(RIGHT, DTYPES),
        gradient("write-gradients", 0.5, "The gradients of memory, weights, erase and add")
        .on(WRITES[0])
        .expects(GRADIENTS, RIGHT, UNCHANGED),
    ),
    *part(
        LUONG,
        given.interface("heads", LUONG, 0.5, 2, 2, 3, 4, 2, 2),
        interface("heads-errors", 0.5, "A number of heads that does not divide both widths raises ValueError")
        .on(case("heads-errors", uneven, [(6, 5, 2), (5, 6, 2)], (1, 2, 3, 6, 4, 2)))
        .expects(expect("raises", "bad0", "bad1", error=ERROR), RIGHT),
        value("heads-values", 1, "Each head of MultiHeadLuong scores and averages with columns of its own")
        .on(*HEADS)
        .expects(RIGHT, DTYPES),
        gradient("heads-gradients", 0.5, "The gradients of states and layers")
        .on(HEADS[0])
        .expects(GRADIENTS, RIGHT, UNCHANGED),
        "Rules",
        by_hand("heads-constraint", LUONG, 0.5, HEADS[0]),
    ),
    *part(
        TOP_K,
        given.interface("top-k", TOP_K, 0.25, 2, 2, 5, 3, 2, 2),
        interface("top-k-errors", 0.5, "A k below 1, or above the number of keys, raises ValueError")
        .on(case("top-k-errors", USUAL.refused, TOP_K, [(1, 2, 3, 2, 2, 0), (1, 2, 3, 2, 2, 4)], (1, 2, 3, 2, 2, 2)))
        .expects(expect("raises", "bad0", "bad1", error=ERROR), RIGHT),
        value("top-k-values", 0.5, "top_k_retrieval gives the values of the k best keys, and where they stand")
        .on(*BEST)
        .expects(RIGHT, DTYPES),
        gradient("top-k-gradients", 0.5, "The gradients of query, keys and values")
        .on(BEST[0])
        .expects(GRADIENTS, RIGHT, UNCHANGED),
        "Rules",
        by_hand("top-k-constraint", TOP_K, 0.25, BEST[0]),
    ),
)
