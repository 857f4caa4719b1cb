"""What ``check`` prints: the checks, what to mend first, what to write next, the points and what to do then."""

from collections.abc import Sequence
from pathlib import Path
from typing import NamedTuple

from rich.console import Console
from rich.text import Text

from autograder import model
from autograder.assignments.hints import of_part
from autograder.grading.responses import unparsed_line
from autograder.model.text import harmless, visible
from autograder.report import terminal
from autograder.report.mistakes import next_to_write, unwritten, unwritten_first, written
from autograder.report.summary import number, score

EXPERIMENT = "experiment.py"
TOTAL = 100
SHOWN_IN_FULL = 5  # mistakes; more would hide which ones to correct first


class View(NamedTuple):
    """What of a grade is shown.

    only: parts and checks; () is all. full: with the hidden checks. most: mistakes in full; None is all.
    listed: with a line for each check.
    """

    only: Sequence[str] = ()
    full: bool = False
    most: int | None = SHOWN_IN_FULL
    listed: bool = True


def passed(grade: model.Grade) -> bool:
    """Whether all checks that ran are right."""
    return grade.status == "graded" and all(check.status in ("passed", "skipped") for check in grade.checks)


def print_grade(path: Path, submission: model.Submission, grade: model.Grade, view: View) -> None:
    """Print a grade of the work at ``path``."""
    console = terminal.console()
    name = submission.filename or path.name
    console.print(Text.assemble((visible(name), "bold"), f": {_heading(grade.assignment, view)}"))
    if grade.message:
        console.print(Text(grade.message, "yellow"), soft_wrap=True)
    if grade.status == "import-error" and (line := unparsed_line(submission)):
        console.print(Text(line), soft_wrap=True)
    if not grade.checks and view.only:
        console.print(Text(f"All checks of {' and '.join(view.only)} run only in grading."), soft_wrap=True)
        return
    if grade.status in ("graded", "partial"):
        _print_checks(console, submission, grade, view)
    points = f"\n{score(grade.score)} of {number(grade.max_score)} points{_others(grade, view)}"
    console.print(Text(points, "bold" if passed(grade) else ""), soft_wrap=True)
    if passed(grade) and not (view.only or view.full) and _folder(path).joinpath(EXPERIMENT).is_file():
        line = f'All public checks pass. Now let it work: python {EXPERIMENT} ("Something that works" in README.md)'
        console.print(Text(line, "green"), soft_wrap=True)


def _folder(path: Path) -> Path:
    return path if path.is_dir() else path.parent


def _print_checks(console: Console, submission: model.Submission, grade: model.Grade, view: View) -> None:
    """Print the checks and the mistakes. What to write next comes last where something written must be mended first."""
    step = next_to_write(grade, submission.filename)
    wrong = written(grade)
    if step and not wrong:
        begun = any(check.status == "passed" for check in grade.checks)
        start = "Next to write:" if begun else "Nothing is written yet. Start with"
        console.print(Text(harmless(f"{start} {step}"), "yellow"), soft_wrap=True)
    if view.listed:
        terminal.checks(console, grade)
    terminal.failures(console, grade, view.most, step if wrong else "")
    missing = [check.part for check in unwritten(grade)]
    todo = missing if unwritten_first(grade) else [one.check.part for one in wrong]
    if todo and of_part(grade.assignment, todo[0]):
        console.print(Text(f"\nStuck? attngrade hint {todo[0]}", "dim"), soft_wrap=True)


def _heading(assignment: str, view: View) -> str:
    """Return what is checked."""
    if view.only:
        return f"{'all' if view.full else 'the public'} checks of {', '.join(view.only)} in {assignment}"
    return f"{'all' if view.full else 'the public'} checks of {assignment}"


def _others(grade: model.Grade, view: View) -> str:
    """Return what gives the other points of the assignment, "" if all of it was asked for."""
    if view.only or view.full:
        return ""
    speed = sum(check.max_points for check in grade.checks if check.status == "skipped")
    hidden = TOTAL - grade.max_score - speed
    points = {"speed": speed, "hidden checks with other numbers and sizes": hidden}
    others = [f"{what} ({number(value)})" for what, value in points.items() if value > 0]
    return f". The other {number(hidden + speed)} of {TOTAL} come from {' and '.join(others)}." if others else ""
