"""Public checks of measures, links and their error rate."""

from __future__ import annotations

from autograder.assignments.diagnostics import examples
from autograder.assignments.diagnostics.given import AT_ZERO, ECHO, both, interface, only
from autograder.assignments.diagnostics.programs import (
    COVERAGE,
    CURVE,
    ENTROPY,
    ERROR_RATE,
    LINKS,
    OFFSET,
    SHARPNESS,
    USUAL,
    Batch,
)
from autograder.assignments.diagnostics.speed import SPEED
from autograder.assignments.kit.assertions import DTYPES, GRADIENTS, RIGHT, UNCHANGED, expect, right
from autograder.assignments.kit.checks import case, part
from autograder.assignments.kit.kinds import gradient, value

BATCH = Batch([(5, 7), (8, 3), (2, 5), (7, 6)], rows=9, columns=8)
SIX = Batch([(6, 4), (3, 5), (4, 6)], rows=7, columns=6)


ENTROPIES = both("entropy", ENTROPY, 3, 5, 7)
ENTROPY_ZERO = case("entropy-zero", USUAL.once, ENTROPY, 3, 5, 7, hidden=0.4, **ECHO)
CURVES = both("curve", CURVE, 4, 2, 3, 7)
SHARP = both("sharpness", SHARPNESS, BATCH, gradient=False)
COVERED = both("coverage", COVERAGE, BATCH, gradient=False)
OFFSETS = both("offset", OFFSET, BATCH, gradient=False)
LINKED = (case("links", USUAL.once, LINKS, BATCH), case("links-float32", USUAL.once, LINKS, SIX, dtype="float32"))
RATES = (
    case("rate", USUAL.once, ERROR_RATE, 3, 5, 7),
    case("rate-other", USUAL.once, ERROR_RATE, 2, 7, 4, lacking=True),
)
MEASURE_CHECKS = (
    *part(
        ENTROPY,
        interface("entropy", ENTROPY, 0.5, 2, 3, 5),
        value("entropy-values", 1.5, "row_entropy is right, in nats").on(*ENTROPIES).expects(RIGHT, DTYPES),
        gradient("entropy-zero", 1, "Rows with weights of 0, and their gradients")
        .on(ENTROPY_ZERO)
        .expects(RIGHT, UNCHANGED, AT_ZERO),
        "Worked example",
        value("entropy-example", 0.5, "The worked example of row_entropy comes out")
        .on(case("entropy-example", examples.entropy))
        .expects(RIGHT),
    ),
    *part(
        CURVE,
        interface("curve", CURVE, 0.5, 3, 2, 4, 5),
        value("curve-weights", 1, "temperature_curve: a softmax of scores / temperature")
        .on(*CURVES)
        .expects(only("weights"), DTYPES),
        value("curve-entropies", 1.5, "temperature_curve: the mean entropy at each temperature")
        .on(*CURVES)
        .expects(only("entropies"), DTYPES),
        gradient("curve-gradients", 0.5, "Gradients of scores and temperatures")
        .on(CURVES[0])
        .expects(GRADIENTS, RIGHT),
    ),
    *part(
        SHARPNESS,
        interface("sharpness", SHARPNESS, 0.5, SIX),
        value("sharpness-entropy", 1, "sharpness: the mean entropy of real rows")
        .on(*SHARP)
        .expects(only("entropy"), DTYPES),
        value("sharpness-maximum", 0.5, "sharpness: the mean of their largest weights")
        .on(*SHARP)
        .expects(only("maximum"), DTYPES),
        "Speed",
        SPEED[SHARPNESS],
    ),
    *part(
        COVERAGE,
        interface("coverage", COVERAGE, 0.5, SIX),
        value("coverage-received", 1, "coverage: the weight that each column received")
        .on(*COVERED)
        .expects(only("received"), expect("zeros", only=["received"]), DTYPES),
        value("coverage-uniformity", 1, "coverage: how evenly").on(*COVERED).expects(only("uniformity"), DTYPES),
        "Speed",
        SPEED[COVERAGE],
    ),
    *part(
        OFFSET,
        interface("offset", OFFSET, 0.5, SIX),
        value("offset-values", 2, "diagonal_offset: the mean distance from the diagonal")
        .on(*OFFSETS)
        .expects(only("offset"), DTYPES),
        value("offset-drift", 1.5, "diagonal_offset: the slope over the rows")
        .on(*OFFSETS)
        .expects(only("drift"), DTYPES),
        "Worked example",
        value("offset-example", 0.5, "The worked example of diagonal_offset comes out")
        .on(case("offset-example", examples.offset))
        .expects(right(scale=1.0)),  # the offsets of its rows cancel to a drift of 0
        "Speed",
        SPEED[OFFSET],
    ),
)
ALIGNMENT_CHECKS = (
    *part(
        LINKS,
        interface("links", LINKS, 0.5, SIX),
        value("links-values", 1, "alignment_links is True at the peaks").on(*LINKED).expects(RIGHT, DTYPES),
        value("links-ties", 0.5, "The first of several largest weights is the peak")
        .on(case("links-ties", examples.ties))
        .expects(RIGHT),
        "Speed",
        SPEED[LINKS],
    ),
    *part(
        ERROR_RATE,
        interface("rate", ERROR_RATE, 0.5, 2, 3, 4),
        value("rate-values", 2.5, "alignment_error_rate, counted over the whole batch").on(*RATES).expects(RIGHT),
        "Worked example",
        value("rate-example", 1, "The worked example of alignment_error_rate comes out")
        .on(case("rate-example", examples.rate))
        .expects(RIGHT),
    ),
)
CHECKS = (*MEASURE_CHECKS, *ALIGNMENT_CHECKS)
