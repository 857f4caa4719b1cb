"""Hidden checks of capacities, of the path of the gradient, and of a student's own numbers."""

from __future__ import annotations

from autograder.assignments.bottleneck.given import answers, counts
from autograder.assignments.bottleneck.hidden.given import rules, sizes
from autograder.assignments.bottleneck.programs import (
    ALONG,
    CAPACITY,
    CHANNEL,
    DECAY,
    LENGTH,
    LOSSLESS,
    OWN,
    REACH,
    TOKEN_BITS,
)
from autograder.assignments.kit.assertions import DTYPES, GRADIENTS, RIGHT
from autograder.assignments.kit.checks import part
from autograder.assignments.kit.kinds import shape, value

CHECKS = (
    *part(
        CHANNEL,
        counts(
            "hidden-channel-ends",
            CHANNEL,
            1,
            "A channel that never flips, or always, or in half of the cases",
            "0.0",
            "1.0",
            "0.5",
            "low",
        ),
        counts(
            "hidden-channel-drawn",
            CHANNEL,
            1,
            "binary_channel_capacity for other channels",
            "high",
            "middle",
            "low",
            times=2,
        ),
    ),
    *part(CAPACITY, counts("hidden-capacity-drawn", CAPACITY, 1, "context_capacity for other sizes", "", times=3)),
    *part(
        TOKEN_BITS,
        counts(
            "hidden-token-drawn",
            TOKEN_BITS,
            1,
            "bits_per_token for other vocabularies, of one word too",
            "one",
            "two",
            "",
            times=2,
        ),
    ),
    *part(
        LOSSLESS,
        counts("hidden-lossless-fits", LOSSLESS, 1.5, "A length that fits exactly is counted", "fits", times=3),
        counts("hidden-lossless-drawn", LOSSLESS, 1, "longest_lossless for other contexts", "more", "less", times=3),
    ),
    *part(
        LENGTH,
        counts(
            "hidden-length-ends",
            LENGTH,
            2,
            "path_length of the first and the last position",
            "first",
            "last",
            "without",
            "attention",
            times=2,
        ),
    ),
    *part(
        DECAY,
        counts("hidden-decay-far", DECAY, 1.5, "path_decay for no step, and for very many", "none", "far", "many"),
    ),
    *part(REACH, counts("hidden-reach-drawn", REACH, 2, "reach for other factors", "", "threshold", "just", times=3)),
    *part(
        ALONG,
        value("along-sizes", 2, "decay_along for other sizes and strides, with its gradient")
        .on(*sizes("along", ALONG, (5, 3), (2, 4), (7, 2), (3, 5)))
        .expects(RIGHT, GRADIENTS, DTYPES),
        "Shapes",
        shape("along-ones", 1, "decay_along of one position, and of width 1")
        .on(*sizes("along-ones", ALONG, (1, 3), (4, 1), (1, 1), gradient=False))
        .expects(RIGHT, DTYPES),
        "Rules",
        rules(ALONG),
    ),
    *part(
        OWN,
        answers("own-information-drawn", "hidden-own", "information", 2, "Capacity, bits and longest sentence", 3),
        answers("own-path-drawn", "hidden-own", "path", 2, "Steps, decay and reach for other numbers", 3),
        answers("own-cost-drawn", "hidden-own", "cost", 2, "Memory, channel and multiplications for other numbers", 3),
    ),
)
