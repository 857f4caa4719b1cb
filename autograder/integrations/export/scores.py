"""Which score an export writes for a student, and how a number is written. Nobody gets a 0 by accident."""

import math

from autograder import model

NOT_GRADED = ("missing", "unreadable")  # nothing was graded; a person decides whether it is a 0
GIVEN = ("adjust", "set")  # decisions that give points even where nothing was graded
DIGITS = 4  # after the point; Moodle keeps five, Canvas shows two


def worth(grade: model.Grade, missing_as_zero: bool) -> float | None:
    """Return the final score to write, or None.

    None means: the student is excused, nothing was graded (0 with ``missing_as_zero``), the grader failed, or no check
    gave a result. Points that a person gave are written in any case.
    """
    if grade.excused:
        return None
    if grade.status in NOT_GRADED and not any(one.kind in GIVEN for one in grade.decisions):
        return 0.0 if missing_as_zero else None
    return grade.final if grade.max_score else None


def scaled(grade: model.Grade, points: float, missing_as_zero: bool) -> float | None:
    """Return ``worth``, scaled to a maximum of ``points``."""
    value = worth(grade, missing_as_zero)
    return value * points / grade.max_score if value else value


def rescaled(grade: model.Grade, points: float) -> bool:
    """Whether a maximum of ``points`` changes a score."""
    return bool(grade.max_score) and not math.isclose(grade.max_score, points, rel_tol=1e-6)


def differs(old: str, value: float) -> bool:
    """Whether ``value`` overwrites another score. Canvas and Moodle export two digits."""
    try:
        return abs(float(old.replace(",", ".")) - value) >= 0.005
    except ValueError:
        return False


def number(value: float | None) -> str:
    """Return a number as all importers read it: decimal point, no exponent, no trailing zeros; "" for None."""
    if value is None:
        return ""
    text = f"{value:.{DIGITS}f}".rstrip("0").rstrip(".")
    return "0" if text == "-0" else text


def real(value: float) -> str:
    """Return a float as Python writes it, with at most 6 digits after the point, as in the result files."""
    return str(round(float(value), 6))
