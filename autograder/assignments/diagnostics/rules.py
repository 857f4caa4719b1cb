"""Public checks of the functions that classify."""

from __future__ import annotations

from autograder.assignments.diagnostics.given import sorts
from autograder.assignments.diagnostics.programs import FAILURE, PATTERN, Batch
from autograder.assignments.kit.assertions import DTYPES, RIGHT, UNCHANGED, expect
from autograder.assignments.kit.checks import part
from autograder.assignments.kit.kinds import value

PATTERN_LENGTHS = Batch(
    [(9, 10), (10, 9), (11, 8), (8, 12), (7, 9), (12, 12), (11, 12), (10, 12), (13, 11), (6, 2)], rows=13, columns=12
)
PATTERN_SORTS = (
    sorts(
        PATTERN,
        "pattern",
        PATTERN_LENGTHS,
        *(("many-to-one", 2), ("diagonal", 0), ("reordered", 1), ("one-to-many", 3), ("diffuse", 4), ("reordered", 1)),
        *(("broad-stripes", 3), ("even-stripes", 4), ("diffuse", 4), ("two-words", 4)),
    ),
)
FAILURE_LENGTHS = Batch([(9, 10), (10, 9), (11, 12), (8, 12), (9, 9), (12, 12), (10, 11), (21, 6)], rows=22, columns=12)
FAILURE_SORTS = (
    sorts(
        FAILURE,
        "failure",
        FAILURE_LENGTHS,
        *(("uniform", 1), ("stuck", 2), ("lagging", 3), ("soft", 0), ("sharp", 0), ("shifted", 0)),
        *(("returning", 3), ("shifted", 0)),
    ),
)
CHECKS = (
    *part(
        PATTERN,
        value("pattern-values", 4.5, "classify_pattern names patterns of each kind")
        .on(*PATTERN_SORTS)
        .expects(expect("signature", "arguments"), RIGHT, DTYPES, UNCHANGED),
    ),
    *part(
        FAILURE,
        value("failure-values", 3.5, "diagnose_failure names failures of each kind")
        .on(*FAILURE_SORTS)
        .expects(expect("signature", "arguments"), RIGHT, DTYPES, UNCHANGED),
    ),
)
