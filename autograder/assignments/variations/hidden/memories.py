"""Hidden checks of memories, of Luong's score with heads, and of retrieval."""

from __future__ import annotations

from autograder.assignments.kit.assertions import DTYPES, GRADIENTS, RIGHT, expect
from autograder.assignments.kit.checks import case, part
from autograder.assignments.kit.kinds import shape, value
from autograder.assignments.kit.observed import by_hand
from autograder.assignments.variations.hidden import programs
from autograder.assignments.variations.hidden.given import rules, sizes
from autograder.assignments.variations.inputs import ADDRESS, LUONG, READ, TOP_K, WRITE

HEADS = sizes("heads", LUONG, (3, 2, 4, 6, 9, 3), (2, 4, 3, 8, 4, 4), (1, 3, 5, 4, 6, 1))

CHECKS = (
    *part(
        ADDRESS,
        value("address-sizes", 0.5, "Other sizes and strides, and sizes of 1, with gradients")
        .on(*sizes("address", ADDRESS, (3, 6, 2), (1, 3, 5), (1, 1, 1)))
        .expects(RIGHT, GRADIENTS, DTYPES),
        value("address-zeros", 0.5, "A row of zeros, and a key of zeros, have the cosine 0 and finite gradients")
        .on(*(case(f"hidden-address-{kind}", programs.blank, kind) for kind in ("row", "key")))
        .expects(RIGHT, expect("gradients", finite_at_zero=True)),
        value("address-extreme", 0.5, "memory_address with a strength of 10,000")
        .on(case("hidden-address-extreme", programs.extreme_keys))
        .expects(RIGHT),
        "Rules",
        rules("address", ADDRESS, 0.5),
    ),
    *part(
        READ,
        value("read-sizes", 0.25, "memory_read: other sizes and strides, and sizes of 1, with gradients")
        .on(*sizes("read", READ, (3, 6, 2), (1, 3, 5), (1, 1, 1)))
        .expects(RIGHT, GRADIENTS, DTYPES),
        "Rules",
        rules("read", READ, 0.25),
    ),
    *part(
        WRITE,
        value("write-sizes", 0.5, "memory_write: other sizes and strides, and sizes of 1, with gradients")
        .on(*sizes("write", WRITE, (3, 6, 2), (1, 3, 5), (1, 1, 1)))
        .expects(RIGHT, GRADIENTS, DTYPES),
        value("write-full", 0.5, "A row that is erased with the weight 1 is what was added")
        .on(case("hidden-write-full", programs.erased))
        .expects(RIGHT, GRADIENTS),
        "Rules",
        rules("write", WRITE, 0.5),
    ),
    *part(
        LUONG,
        value("heads-sizes", 1, "Other sizes, widths and heads, also a single one, with gradients")
        .on(*HEADS)
        .expects(RIGHT, GRADIENTS, DTYPES),
        shape("heads-ones", 0.5, "One row, one position, columns of width 1")
        .on(*sizes("heads-ones", LUONG, (1, 1, 1, 1, 1, 1), (2, 1, 3, 2, 2, 2)))
        .expects(RIGHT, GRADIENTS),
        value("heads-extreme", 0.5, "MultiHeadLuong with scores of ±10,000")
        .on(case("hidden-heads-extreme", programs.extreme, LUONG, "decoder_states", 1e4, 2, 3, 4, 4, 4, 2))
        .expects(RIGHT),
        "Rules",
        rules("heads", LUONG, 0.5),
        by_hand("heads-constraint-hidden", LUONG, 0.5, HEADS[0]),
    ),
    *part(
        TOP_K,
        value("top-k-sizes", 0.75, "Other sizes and strides, k = 1 and k = N, with gradients")
        .on(*sizes("top-k", TOP_K, (3, 4, 7, 2, 3, 4), (2, 2, 5, 3, 6, 1), (2, 3, 4, 5, 2, 4)))
        .expects(RIGHT, GRADIENTS, DTYPES),
        shape("top-k-ones", 0.25, "Sizes of 1")
        .on(*sizes("top-k-ones", TOP_K, (1, 1, 1, 1, 1, 1), (2, 1, 3, 2, 1, 2)))
        .expects(RIGHT, GRADIENTS),
        value("top-k-extreme", 0.5, "top_k_retrieval with scores of ±10,000")
        .on(case("hidden-top-k-extreme", programs.extreme, TOP_K, "query", 1e4, 2, 3, 6, 4, 3, 3))
        .expects(RIGHT),
        "Rules",
        rules("top-k", TOP_K, 0.5),
    ),
)
