"""Public checks of contexts, costs, capacities, the path of the gradient, and a student's own numbers."""

from __future__ import annotations

from autograder.assignments.bottleneck.given import answers, both, counts, interface
from autograder.assignments.bottleneck.programs import (
    ALONG,
    BYTES,
    CAPACITY,
    CHANNEL,
    DECAY,
    IDENTITY,
    LENGTH,
    LOSSLESS,
    OWN,
    REACH,
    SCORES,
    TOKEN_BITS,
    UNIFORM,
    identities,
)
from autograder.assignments.kit.assertions import DTYPES, RIGHT, expect, right
from autograder.assignments.kit.assertions import GRADIENTS as ALL_GRADIENTS
from autograder.assignments.kit.checks import case, part
from autograder.assignments.kit.kinds import gradient, value

CONTEXTS = both("uniform", UNIFORM, 3, 5, 4)
ALONGS = both("along", ALONG, 6, 4)
WIDTHS = {"three": 3, "five": 5}
CONTEXT_CHECKS = (
    *part(
        UNIFORM,
        interface("uniform", UNIFORM, 0.5, 2, 3, 4),
        value("uniform-values", 1.5, "uniform_context: equal weights, and their context")
        .on(*CONTEXTS)
        .expects(RIGHT, DTYPES),
    ),
    *part(
        IDENTITY,
        value("identity-values", 1.5, "weight_of_dot turns general scores into dot scores")
        .on(case("identity", identities, WIDTHS, dtype="float32"))
        .expects(expect("signature", "arguments"), right(*WIDTHS), expect("dtypes", *WIDTHS)),
    ),
    *part(
        SCORES,
        counts("scores-additive", SCORES, 1.5, "score_multiplications of the additive score", "additive", times=2),
        counts("scores-products", SCORES, 2, "score_multiplications of dot and general", "dot", "general", times=2),
    ),
    *part(
        BYTES,
        counts("bytes-values", BYTES, 2, "attention_bytes, with and without defaults", "length", "heads", "layers"),
    ),
)
CHANNEL_CHECKS = (
    *part(CHANNEL, counts("channel-values", CHANNEL, 2, "binary_channel_capacity is right", "low", "middle", "high")),
    *part(CAPACITY, counts("capacity-values", CAPACITY, 1, "context_capacity is right", "", times=2)),
    *part(TOKEN_BITS, counts("token-values", TOKEN_BITS, 1, "bits_per_token is right", "", times=3)),
    *part(LOSSLESS, counts("lossless-values", LOSSLESS, 2.5, "longest_lossless is right", "less", "more", times=2)),
)
PATH_CHECKS = (
    *part(
        LENGTH, counts("length-values", LENGTH, 2, "path_length with and without attention", "", "attention", times=2)
    ),
    *part(DECAY, counts("decay-values", DECAY, 1.5, "path_decay is right", "few", "many")),
    *part(REACH, counts("reach-values", REACH, 2, "reach is right", "", "threshold", times=2)),
    *part(
        ALONG,
        interface("along", ALONG, 0.5, 4, 3),
        value("along-values", 2, "decay_along is right").on(*ALONGS).expects(RIGHT, DTYPES),
        gradient("along-gradients", 1, "Gradients of states and weight").on(ALONGS[0]).expects(ALL_GRADIENTS, RIGHT),
    ),
    *part(
        OWN,
        answers("own-information", "own", "information", 2, "own_answers: capacity, bits a token, longest sentence"),
        answers("own-path", "own", "path", 2, "own_answers: steps, decay, reach"),
        answers("own-cost", "own", "cost", 2, "own_answers: memory, channel, multiplications"),
    ),
)
