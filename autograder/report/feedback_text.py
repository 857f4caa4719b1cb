"""What goes back to one student as Markdown, which reads well as plain text too.

It takes a grade as its student sees it (``feedback.shown.as_seen``), so nothing here can say more.
"""

from autograder import model
from autograder.course.decisions import words
from autograder.course.marks import RAN, reckoning
from autograder.report.markdown import fenced, inline
from autograder.report.mistakes import Mistake, mistakes, parts
from autograder.report.summary import TO_MEND, beside, number, score, sentence

ALL_RIGHT = "All checks pass."
NUMBERS = "Hidden checks use other inputs than those that you can run yourself."


def markdown(grade: model.Grade, title: str) -> str:
    """Return the text for a student. ``title`` is the assignment's."""
    lines = [f"# {inline(title)}: {_mark(grade)}", "", inline(grade.name or grade.student), ""]
    if line := reckoning(grade):
        lines += [inline(sentence(line)), ""]
    for one in grade.decisions:
        lines += [inline(" ".join(filter(None, (sentence(words(one)), one.reason)))), ""]
    if grade.message:
        lines += fenced(grade.message)
    if grade.status in RAN:
        lines += ["| part | points |", "|---|---:|"]
        of_parts = [part for part in parts(grade.checks) if part.max_points]
        names = [inline(part.name or "other checks") for part in of_parts]
        rows = zip(names, of_parts, strict=True)
        lines += [f"| {name} | {number(part.points)} / {number(part.max_points)} |" for name, part in rows]
        found = _found(grade)
        lines += ["", f"## {TO_MEND}" if found else ALL_RIGHT, ""]
        for mistake in found:
            lines += _mistake(mistake)
    return "\n".join([*lines, NUMBERS, ""])


def _found(grade: model.Grade) -> list[Mistake]:
    return mistakes(grade) if grade.status in RAN else []


def _mistake(mistake: Mistake) -> list[str]:
    check = mistake.check
    costs = f"costs {number(mistake.lost)}" if mistake.lost else "costs nothing"
    text = "\n".join(filter(None, (check.message, check.hint)))
    rest = [inline(line), ""] if (line := beside(mistake)) else []
    return [f"### {inline(check.title)} ({costs})", "", *(fenced(text) if text else []), *rest]


def _mark(grade: model.Grade) -> str:
    if grade.excused:
        return "excused"
    return "not graded" if grade.final is None else f"{score(grade.final)} of {number(grade.max_score)} points"
