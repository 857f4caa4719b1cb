"""Hidden checks of measures, links and their error rate."""

from __future__ import annotations

from autograder.assignments.diagnostics.given import AT_ZERO
from autograder.assignments.diagnostics.hidden import programs
from autograder.assignments.diagnostics.hidden.given import ALONE, EXACT, HERE, LONG, ONES, PADDED, rules, sizes
from autograder.assignments.diagnostics.programs import (
    COVERAGE,
    CURVE,
    ENTROPY,
    ERROR_RATE,
    LINKS,
    OFFSET,
    SHARPNESS,
    once,
)
from autograder.assignments.kit.assertions import DTYPES, GRADIENTS, RIGHT, expect, right
from autograder.assignments.kit.checks import case, part
from autograder.assignments.kit.kinds import invariance, mask, shape, value

MEASURE_CHECKS = (
    *part(
        ENTROPY,
        value("entropy-sizes", 1, "attention_entropy for any leading axes and strides, with its gradient")
        .on(*sizes("entropy", ENTROPY, (7,), (2, 3, 5), (2, 3, 5, 7), (4, 1), (1, 3, 4), hidden=0.0))
        .expects(RIGHT, GRADIENTS, DTYPES),
        "Rules",
        rules(ENTROPY),
    ),
    *part(
        CURVE,
        value("curve-sizes", 1.5, "temperature_curve for other sizes, ones among them")
        .on(*sizes("curve", CURVE, (5, 2, 4, 3), (1, 3, 2, 5), (3, 1, 1, 4), (2, 2, 3, 1)))
        .expects(RIGHT, GRADIENTS, DTYPES),
        mask("curve-extreme", 1.5, "Scores of ±10,000 at temperatures from 0.01 to 100")
        .on(case("hidden-curve-extreme", programs.extreme_curve, pinned=True))
        .expects(RIGHT, expect("gradients", of_largest=1e-6)),
        "Rules",
        rules(CURVE),
    ),
    *part(
        SHARPNESS,
        value("sharpness-sizes", 1, "sharpness for other lengths and strides, with its gradient")
        .on(
            *sizes("sharpness", SHARPNESS, (LONG,), (EXACT,), (ONES,)),
            case("hidden-sharpness-zeros", programs.with_zeros, SHARPNESS, LONG),
        )
        .expects(RIGHT, AT_ZERO, DTYPES),
        invariance("sharpness-padding", 1, "Large numbers in rows of padding do not change sharpness")
        .on(*sizes("sharpness-padding", SHARPNESS, (PADDED,)))
        .expects(RIGHT, AT_ZERO),
        "Rules",
        rules(SHARPNESS),
    ),
    *part(
        COVERAGE,
        value("coverage-sizes", 1, "coverage for other lengths and strides, with its gradient")
        .on(
            *sizes("coverage", COVERAGE, (LONG,), (EXACT,)),
            case("hidden-coverage-zeros", programs.with_zeros, COVERAGE, LONG),
        )
        .expects(RIGHT, expect("zeros", only=["received"]), AT_ZERO, DTYPES),
        invariance("coverage-padding", 1, "Large numbers in rows of padding do not change coverage")
        .on(*sizes("coverage-padding", COVERAGE, (PADDED,)))
        .expects(RIGHT, expect("zeros", only=["received"]), AT_ZERO),
        "Shapes",
        shape("coverage-ones", 0.5, "coverage of one word")
        .on(*sizes("coverage-ones", COVERAGE, (ONES,), (ALONE,)))
        .expects(RIGHT, AT_ZERO),
        "Rules",
        rules(COVERAGE),
    ),
    *part(
        OFFSET,
        value("offset-sizes", 2.5, "diagonal_offset for other lengths and strides, with its gradient")
        .on(*sizes("offset", OFFSET, (LONG,), (EXACT,), (HERE,)))
        .expects(RIGHT, AT_ZERO, DTYPES),
        invariance("offset-padding", 1, "Large numbers in rows of padding do not change diagonal_offset")
        .on(*sizes("offset-padding", OFFSET, (PADDED,)))
        .expects(RIGHT, AT_ZERO),
        "Shapes",
        shape("offset-ones", 1, "diagonal_offset of one row and of one column")
        .on(*sizes("offset-ones", OFFSET, (ONES,), (ALONE,)))
        .expects(RIGHT, AT_ZERO),
        "Rules",
        rules(OFFSET),
    ),
)
ALIGNMENT_CHECKS = (
    *part(
        LINKS,
        value("links-sizes", 1, "alignment_links for other lengths, ties and large numbers in padding")
        .on(
            *sizes("links", LINKS, (LONG,), (EXACT,), (PADDED,), gradient=False),
            case("hidden-links-ties", programs.tied_links, LONG),
        )
        .expects(RIGHT, DTYPES),
        "Shapes",
        shape("links-ones", 1, "alignment_links of one row and of one column")
        .on(*sizes("links-ones", LINKS, (ONES,), (ALONE,), gradient=False))
        .expects(RIGHT),
        "Rules",
        rules(LINKS),
    ),
    *part(
        ERROR_RATE,
        value("rate-lacking", 2, "A sure link that possible lacks is possible")
        .on(
            *(
                case(f"hidden-rate-{i}", once, ERROR_RATE, *size, lacking=True)
                for i, size in enumerate([(4, 6, 5), (1, 3, 2)])
            ),
            *sizes("rate-strides", ERROR_RATE, (3, 5, 7), (2, 6, 3), (5, 1, 4), gradient=False),
        )
        .expects(RIGHT),
        value("rate-corners", 1.5, "alignment_error_rate without links, without sure links, without both")
        .on(case("hidden-rate-corners", programs.corner_rates))
        .expects(right("no_links", "no_sure", "neither", "all")),
        "Rules",
        rules(ERROR_RATE),
    ),
)
CHECKS = (*MEASURE_CHECKS, *ALIGNMENT_CHECKS)
