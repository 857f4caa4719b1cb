"""Hidden checks of measures, links and their error rate."""

from __future__ import annotations

from autograder import model
from autograder.assignments.diagnostics.hidden import programs
from autograder.assignments.diagnostics.hidden.given import (
    ALONE,
    COLUMN,
    EXACT,
    FULL,
    HERE,
    LONG,
    ONES,
    PADDED,
    ROW,
    rules,
    sizes,
)
from autograder.assignments.diagnostics.programs import (
    COVERAGE,
    CURVE,
    ENTROPY,
    ERROR_RATE,
    LINKS,
    OFFSET,
    SHARPNESS,
    USUAL,
)
from autograder.assignments.kit.assertions import DTYPES, GRADIENTS, RIGHT, expect, right
from autograder.assignments.kit.checks import case, part
from autograder.assignments.kit.kinds import invariance, mask, shape, value


def measured(id: str, name: str) -> list[model.Case]:
    """Return cases of other lengths. Gradients are asked where no column is padding: a weight of 0 may have any."""
    return [*sizes(id, name, (LONG,), (HERE,), gradient=False), *sizes(f"{id}-full", name, (FULL,), (EXACT,))]


def loud(id: str, name: str) -> list[model.Case]:
    """Return cases with large numbers in rows of padding."""
    return [*sizes(id, name, (PADDED,), gradient=False), *sizes(f"{id}-full", name, (FULL._replace(padding=1e6),))]


def single(id: str, name: str) -> list[model.Case]:
    """Return cases of one row and of one column."""
    return [*sizes(f"{id}-ones", name, (ONES,), gradient=False), *sizes(f"{id}-one", name, (ALONE,), (COLUMN,), (ROW,))]


MEASURE_CHECKS = (
    *part(
        ENTROPY,
        value("entropy-sizes", 1, "row_entropy for any leading axes and strides, with its gradient")
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
        value("sharpness-sizes", 1, "sharpness for other lengths and strides, with weights of 0, and its gradient")
        .on(*measured("sharpness", SHARPNESS), case("hidden-sharpness-zeros", programs.with_zeros, SHARPNESS, LONG))
        .expects(RIGHT, GRADIENTS, DTYPES),
        invariance("sharpness-padding", 1, "Large numbers in rows of padding do not change sharpness")
        .on(*loud("sharpness-padding", SHARPNESS))
        .expects(RIGHT, GRADIENTS),
        "Rules",
        rules(SHARPNESS),
    ),
    *part(
        COVERAGE,
        value("coverage-sizes", 1, "coverage for other lengths and strides, with weights of 0, and its gradient")
        .on(*measured("coverage", COVERAGE), case("hidden-coverage-zeros", programs.with_zeros, COVERAGE, LONG))
        .expects(RIGHT, expect("zeros", only=["received"]), GRADIENTS, DTYPES),
        invariance("coverage-padding", 1, "Large numbers in rows of padding do not change coverage")
        .on(*loud("coverage-padding", COVERAGE))
        .expects(RIGHT, expect("zeros", only=["received"]), GRADIENTS),
        "Shapes",
        shape("coverage-ones", 0.5, "coverage of one word").on(*single("coverage", COVERAGE)).expects(RIGHT, GRADIENTS),
        "Rules",
        rules(COVERAGE),
    ),
    *part(
        OFFSET,
        value("offset-sizes", 2.5, "diagonal_offset for other lengths and strides, with its gradient")
        .on(*measured("offset", OFFSET), case("hidden-offset-zeros", programs.with_zeros, OFFSET, LONG))
        .expects(RIGHT, GRADIENTS, DTYPES),
        invariance("offset-padding", 1, "Large numbers in rows of padding do not change diagonal_offset")
        .on(*loud("offset-padding", OFFSET))
        .expects(RIGHT, GRADIENTS),
        "Shapes",
        shape("offset-ones", 1, "diagonal_offset of one row and of one column")
        .on(*single("offset", OFFSET))
        .expects(RIGHT, GRADIENTS),
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
                case(f"hidden-rate-{i}", USUAL.once, ERROR_RATE, *size, lacking=True)
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
