"""Hidden checks of the functions that classify."""

from __future__ import annotations

from autograder.assignments.diagnostics.given import sorts
from autograder.assignments.diagnostics.hidden import limits
from autograder.assignments.diagnostics.hidden.given import at_limits, lengths, rules
from autograder.assignments.diagnostics.programs import FAILURE, PATTERN, Batch
from autograder.assignments.kit.assertions import DTYPES, RIGHT
from autograder.assignments.kit.checks import part
from autograder.assignments.kit.kinds import shape, value

EVEN = [("even-stripes", 4), ("broad-stripes", 3)]
MANY_PATTERNS = [("diffuse", 4), ("reordered", 1), ("many-to-one", 2), ("diagonal", 0), ("one-to-many", 3), *EVEN]
SOFT = [("soft", 0), ("returning", 3)]
MANY_FAILURES = [("lagging", 3), ("middle", 0), ("uniform", 1), ("sharp", 0), ("stuck", 2), ("shifted", 0), *SOFT]
PATTERN_MANY = Batch([(12, 9), (11, 13), (9, 8), (10, 12), (13, 14), (12, 10), (9, 13)], rows=15, columns=16)
FAILURE_MANY = Batch([(12, 14), (9, 11), (7, 9), (13, 10), (9, 9), (11, 16), (10, 12), (11, 13)], rows=15, columns=16)
NEAR_PATTERN = Batch([(9, 8)] * 4, rows=10, columns=9)
NEAR_FAILURE = Batch([(9, 8)] * 4 + [(9, 9)] * 2, rows=11, columns=9)
SINGLE = Batch([(4, 1), (1, 6), (1, 1), (1, 5), (4, 2)], rows=5, columns=7)
CHECKS = (
    *part(
        PATTERN,
        value("pattern-drawn", 2, "classify_pattern on other sentences, padded otherwise")
        .on(
            sorts(PATTERN, "hidden-pattern", PATTERN_MANY, *MANY_PATTERNS),
            sorts(PATTERN, "hidden-pattern-loud", PATTERN_MANY._replace(padding=1e6), *MANY_PATTERNS, dtype="float32"),
        )
        .expects(RIGHT, DTYPES),
        value("pattern-limits", 1, "classify_pattern beside the limits of spread and largest weight")
        .on(at_limits(PATTERN, "pattern-near", NEAR_PATTERN, limits.near, (4, 3, 0, 3)))
        .expects(RIGHT),
        value("pattern-counts", 0.5, "classify_pattern at the limits of rules that count")
        .on(
            at_limits(
                PATTERN,
                "pattern-counts",
                lengths(limits.PATTERN_COUNTS),
                limits.counts,
                tuple(found for *_, found in limits.PATTERN_COUNTS),
            )
        )
        .expects(RIGHT),
        "Shapes",
        shape("pattern-ones", 0.5, "classify_pattern of one row and of one column")
        .on(at_limits(PATTERN, "pattern-ones", SINGLE, limits.single, (0, 0, 0, 4, 4)))
        .expects(RIGHT),
        "Rules",
        rules(PATTERN),
    ),
    *part(
        FAILURE,
        value("failure-drawn", 1.5, "diagnose_failure on other sentences, padded otherwise")
        .on(
            sorts(FAILURE, "hidden-failure", FAILURE_MANY, *MANY_FAILURES),
            sorts(FAILURE, "hidden-failure-loud", FAILURE_MANY._replace(padding=1e6), *MANY_FAILURES, dtype="float32"),
        )
        .expects(RIGHT, DTYPES),
        value("failure-limits", 1, "diagnose_failure beside and at the limits of its rules")
        .on(
            at_limits(FAILURE, "failure-near", NEAR_FAILURE, limits.near, (1, 0, 2, 0, 3, 0)),
            at_limits(
                FAILURE,
                "failure-counts",
                lengths(limits.FAILURE_COUNTS),
                limits.counts,
                tuple(found for *_, found in limits.FAILURE_COUNTS),
            ),
        )
        .expects(RIGHT),
        "Shapes",
        shape("failure-ones", 0.5, "diagnose_failure of one row and of one column")
        .on(at_limits(FAILURE, "failure-ones", SINGLE, limits.single, (0, 0, 0, 1, 1)))
        .expects(RIGHT),
        "Rules",
        rules(FAILURE),
    ),
)
