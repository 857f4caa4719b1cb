"""The checks of a notebook, as its cell shows them: a table as HTML, and text where no HTML is shown.

Notebooks have no style sheet of ours, so each element has its own style. Texts that hold a student's are escaped.
"""

from __future__ import annotations

import textwrap
from collections.abc import Sequence
from typing import NamedTuple

from autograder import model
from autograder.course.marks import UNWRITTEN
from autograder.feedback import weights
from autograder.model.text import harmless
from autograder.report import mistakes, summary
from autograder.report.web.templates import environment

SHOWN_IN_FULL = 3  # mistakes; of the others only the title
WIDTH = 100  # characters of a line of text
WORDS = {"blocked": "waits", "skipped": "in grading"}  # for what is neither right nor wrong
NEXT = "Next to write:"
FIRST = "Mend first what is marked ✗ below."
WHERE = "this notebook"
ONLY_IN_GRADING = "all its checks run only in grading."
NOTHING = "There are no weights to draw yet: write the part first, and run its cell."


class Shown(NamedTuple):
    """What a cell shows. IPython asks for ``_repr_html_``, and for the text if it can't show HTML."""

    html: str
    text: str

    def _repr_html_(self) -> str:
        return self.html

    def __repr__(self) -> str:
        return self.text


class Row(NamedTuple):
    """A check and its outcome, and below them what to know if it is the best example of a mistake."""

    sign: str
    outcome: str
    check: model.Outcome
    details: tuple[str, ...] = ()

    @property
    def cause(self) -> str:
        """The name of the cause, if it says more than the outcome."""
        return "" if self.check.diagnosis in (None, UNWRITTEN) else str(self.check.diagnosis)


def checks(grade: model.Grade, heading: str) -> Shown:
    """Return the public checks of ``heading``: a part, or an assignment. What to mend first comes first."""
    step = _step(grade)
    lost = any(check.status not in ("passed", "skipped") for check in grade.checks)
    telling = grade.status != "graded" or (lost and not step.startswith(NEXT))  # a part that is a stub needs no note
    alone = grade.status not in ("graded", "partial") or (step and not _passed(grade))
    rows = [] if alone else _rows(grade)
    mend_first = step.startswith(NEXT) and not mistakes.unwritten_first(grade)
    first = FIRST if mend_first and any(row.details for row in rows) else ""
    lines = list(filter(None, (first, step or f"{heading}: {_count(grade)}", grade.message if telling else "")))
    return _shown(lines, rows, [("" if one.part == heading else one.part, one) for one in grade.pictures])


def without_checks(part: str) -> Shown:
    """Return what is said of a part that has no public checks."""
    return _shown([f"{part}: {ONLY_IN_GRADING}"], [], [])


def drawn(grades: Sequence[model.Grade]) -> Shown:
    """Return all pictures of attention weights."""
    pictures = [(picture.part, picture) for grade in grades for picture in grade.pictures]
    return _shown([] if pictures else [NOTHING], [], pictures)


def _shown(lines: Sequence[str], rows: Sequence[Row], pictures: Sequence[tuple[str, model.WeightPicture]]) -> Shown:
    """Return lines, checks, and pictures below their headings, in both forms."""
    tables = [(heading, weights.table(picture)) for heading, picture in pictures]
    html = environment().get_template("in_notebook.html.jinja").render(lines=lines, rows=rows, pictures=tables)
    return Shown(html, "\n".join(_text(lines, rows, [picture for _, picture in pictures])))


def _passed(grade: model.Grade) -> int:
    return sum(check.status == "passed" for check in grade.checks)


def _count(grade: model.Grade) -> str:
    """Return how many checks passed."""
    if grade.status not in ("graded", "partial"):
        return "nothing could be checked."
    later = sum(check.status == "skipped" for check in grade.checks)
    runs = f" {later} more run{'s' if later == 1 else ''} only in grading." if later else ""
    return f"{_passed(grade)} of {len(grade.checks) - later} checks passed.{runs}"


def _step(grade: model.Grade) -> str:
    """Return what to write next, or "". In a notebook, what is not defined may only need to be run."""
    messages = [check.message for check in mistakes.unwritten(grade)]
    name, undefined, _ = messages[0].partition(" is not defined.") if messages else ("", "", "")
    if undefined:
        return f"{name} is not defined. Run the cell that defines it, and then this one."
    step = mistakes.next_to_write(grade, WHERE)
    return f"{NEXT} {step}" if step else ""


def _rows(grade: model.Grade) -> list[Row]:
    """Return the mistakes, the first ones in full, and then all other checks that say something new."""
    written = mistakes.written(grade)
    rows = [_row(one.check, _details(one) if place < SHOWN_IN_FULL else ()) for place, one in enumerate(written)]
    told = {check.id for one in written for check in (one.check, *one.others)}
    return rows + [_row(check) for check in grade.checks if check.id not in told]


def _row(check: model.Outcome, details: tuple[str, ...] = ()) -> Row:
    unwritten = check.diagnosis == UNWRITTEN
    outcome = "not written" if unwritten else WORDS.get(check.status, check.status)
    return Row(summary.SIGNS[check.status], outcome, check, details)


def _details(mistake: mistakes.Mistake) -> tuple[str, ...]:
    check = mistake.check
    return tuple(filter(None, (check.message, check.hint, summary.beside(mistake))))


def _text(lines: Sequence[str], rows: Sequence[Row], pictures: Sequence[model.WeightPicture]) -> list[str]:
    text = [part for line in lines for part in _wrapped(line, "")]
    for row in rows:
        text.append(harmless(f"{row.sign} {row.check.title}  [{row.check.id}]  {row.cause or row.outcome}"))
        text += [part for line in row.details for part in _wrapped(line, "  ")]
    return text + list(map(_of_picture, pictures))


def _of_picture(picture: model.WeightPicture) -> str:
    return f"{harmless(picture.part)}, weights: {weights.words(picture)}"


def _wrapped(text: str, indent: str) -> list[str]:
    return textwrap.wrap(harmless(text), WIDTH, initial_indent=indent, subsequent_indent=indent)
