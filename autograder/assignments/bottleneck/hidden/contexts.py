"""Hidden checks of contexts and costs."""

from __future__ import annotations

from autograder.assignments.bottleneck.given import counted, counts
from autograder.assignments.bottleneck.hidden.given import rules, sizes
from autograder.assignments.bottleneck.programs import BYTES, IDENTITY, SCORES, UNIFORM, identities
from autograder.assignments.kit.assertions import DTYPES, GRADIENTS, RIGHT, expect, right
from autograder.assignments.kit.checks import case, part
from autograder.assignments.kit.kinds import invariance, shape, value

WIDTHS = {"one": 1, "two": 2, "eight": 8}
OTHER, _ = counted("hidden-scores-other", SCORES, "other", "dot")
CHECKS = (
    *part(
        UNIFORM,
        invariance("uniform-sizes", 1, "uniform_context for other sizes and strides, with its gradient")
        .on(*sizes("uniform", UNIFORM, (2, 7, 3), (4, 2, 6), (3, 4, 2), (5, 3, 2)))
        .expects(RIGHT, GRADIENTS, DTYPES),
        "Shapes",
        shape("uniform-ones", 0.5, "uniform_context of one position, one sentence, or width 1")
        .on(*sizes("uniform-ones", UNIFORM, (3, 1, 4), (1, 5, 2), (2, 3, 1), (1, 1, 1)))
        .expects(RIGHT, GRADIENTS),
        "Rules",
        rules(UNIFORM),
    ),
    *part(
        IDENTITY,
        value("identity-sizes", 1.5, "weight_of_dot for other widths, 1 among them")
        .on(case("hidden-identity", identities, WIDTHS, dtype="float32"))
        .expects(right(*WIDTHS), expect("dtypes", *WIDTHS)),
    ),
    *part(
        SCORES,
        counts(
            *("hidden-scores-large", SCORES, 1.5, "score_multiplications for large sizes, exactly"),
            *("large", "large-general", "large-dot"),
        ),
        value("scores-other", 1, "Another kind raises ValueError")
        .on(OTHER)
        .expects(expect("raises", "other-0", error="ValueError"), expect("numbers", "dot-0")),
    ),
    *part(
        BYTES,
        counts("hidden-bytes-large", BYTES, 2, "attention_bytes of large models, exactly", "large", "huge", "heads"),
    ),
)
