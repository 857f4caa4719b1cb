"""``%attngrade`` in a notebook: checks on the cells that have run so far.

    %attngrade use ASSIGNMENT         which assignment the lines below are about
    %attngrade PART                   the public checks of a function or class, and pictures of its weights
    %attngrade all                    all public checks; or %attngrade ASSIGNMENT
    %attngrade weights                all pictures of weights
    %attngrade ASSIGNMENT CHECK...    these checks, in a test cell: it passes, or raises the message

Test cells of nbgrader courses contain the last form. All others show a table, and a failed check raises nothing. On a
student's machine all of it runs public checks with shipped values. Grading does not run it, so a notebook that changes
it changes no grade.
"""

from __future__ import annotations

import textwrap
from collections.abc import Iterable, Sequence
from typing import Any

from autograder import assignments, model
from autograder.course.settings import unknown
from autograder.grading.suite import SuiteError
from autograder.intake.starter import defines
from autograder.integrations import notebooks
from autograder.model.courses import WHERE
from autograder.report.mistakes import leaders, shown_status
from autograder.report.summary import SIGNS
from autograder.report.web import in_notebook
from autograder.report.web.in_notebook import Shown
from autograder.sandbox.availability import SandboxError

NAME = "attngrade"
USE, ALL, WEIGHTS = "use", "all", ("weights", "show-weights")
SHOWN_IN_FULL = 3  # failed checks; for the others only the title
WIDTH = 84  # nbgrader validate cuts lines at 90


class NotPassed(AssertionError):
    """A failed check. IPython prints only the message, without a traceback."""

    def _render_traceback_(self) -> list[str]:
        return str(self).splitlines()


class Misused(ValueError):
    """An invalid ``%attngrade`` line."""

    def _render_traceback_(self) -> list[str]:
        return [str(self)]


class Magic:
    """The magic of one notebook. ``assignment`` is the one that it uses, "" at first."""

    def __init__(self, assignment: str = "") -> None:
        self.assignment = assignment

    def run(self, line: str, history: Sequence[str]) -> Shown | None:
        """Do what a line says, and return what to show, if anything. ``history`` is IPython's ``In``.

        Raises NotPassed for checks in a test cell, and Misused.
        """
        words = line.split()
        if len(words) == 2 and words[0] == USE:
            self.assignment = _known(words[1])
            return None
        if words and words[0] in WEIGHTS and len(words) < 3:
            return _weights(self._drawn(words[1:], history), history)
        if len(words) != 1:
            check(line, history)
            return None
        assignment, part = self._meant(words[0])
        return checked(assignment, part, history)

    def _meant(self, name: str) -> tuple[str, str]:
        """Return the assignment and the part, "" for all parts, that a word means: what is in use comes first."""
        parts = {one: _parts(one) for one in assignments.NAMES}
        if name == ALL:
            return self.assignment or _raise(f"first say which assignment: %{NAME} {USE} ASSIGNMENT"), ""
        if name in parts.get(self.assignment, ()):
            return self.assignment, name
        if name in assignments.NAMES:
            return name, ""
        found = [one for one, names in parts.items() if name in names]
        if len(found) > 1:
            raise Misused(f"{name} is a part of {' and of '.join(found)}; first write: %{NAME} {USE} {found[0]}")
        if found:
            return found[0], name
        own = parts.get(self.assignment) or [part for names in parts.values() for part in names]
        raise Misused(unknown(name, [*own, *assignments.NAMES], "part"))

    def _drawn(self, named: Sequence[str], history: Sequence[str]) -> list[str]:
        """Return the assignments whose weights to draw: the named one, the one in use, else those that cells define."""
        if named:
            return [_known(named[0])]
        if self.assignment:
            return [self.assignment]
        cells = [cell.encode("utf-8", "replace") for cell in history]
        return [name for name in assignments.NAMES if defines(cells, name)]


def load_ipython_extension(shell: Any) -> None:
    """Register the magic; ``%load_ext`` calls this."""
    magic = Magic()

    def attngrade(line: str) -> None:
        shown = magic.run(line, shell.history_manager.input_hist_raw)
        if shown is not None:
            from IPython.display import display

            display(shown)  # type: ignore[no-untyped-call]  # IPython's has no types

    shell.register_magic_function(attngrade, "line", NAME)


def checked(assignment: str, part: str, history: Iterable[str]) -> Shown:
    """Return the public checks of a part, or of all parts, on the cells that ran. Raises Misused."""
    spec = assignments.load(assignment, hidden=False)
    ids = tuple(one.id for one in spec.checks if one.part == part)
    if part in spec.parts and not ids:
        return in_notebook.without_checks(part)
    return in_notebook.checks(_graded(assignment, history, ids), part or assignment)


def _weights(names: Sequence[str], history: Iterable[str]) -> Shown:
    return in_notebook.drawn([_graded(name, history) for name in names])


def _graded(assignment: str, history: Iterable[str], ids: tuple[str, ...] = ()) -> model.Grade:
    cells = notebooks.own_cells(history, _parts(assignment))
    try:
        return notebooks.grade_cells(assignment, cells, ids)
    except (SuiteError, SandboxError) as error:
        raise Misused(f"attngrade could not check anything: {error}") from None


def _parts(assignment: str) -> tuple[str, ...]:
    """Return the parts of an assignment, also those that have no public checks."""
    return assignments.load(assignment, hidden=False).parts


def _known(assignment: str) -> str:
    """Return the name of an assignment. Raises Misused for another name."""
    if assignment in assignments.NAMES:
        return assignment
    return _raise(f"{unknown(assignment, assignments.NAMES, 'assignment')}; {WHERE}")


def _raise(message: str) -> str:
    raise Misused(message)


def check(line: str, cells: Iterable[str]) -> None:
    """Run the checks that ``line`` names on ``cells``, which ran in this order. Raises NotPassed or Misused."""
    assignment, *ids = line.split() or [""]
    if assignment not in assignments.NAMES or not ids:
        names = ", ".join(assignments.NAMES)
        raise Misused(f"write: %{NAME} PART, or %{NAME} ASSIGNMENT CHECK...; the assignments are {names}; {WHERE}")
    try:
        grade = notebooks.grade_cells(assignment, tuple(cells), tuple(ids))
    except KeyError as error:
        raise Misused(f"this version of attngrade has no check {error} for {assignment}; update it") from None
    lost = [outcome for outcome in grade.checks if outcome.status not in ("passed", "skipped")]
    if lost or grade.status != "graded":
        raise NotPassed(_report(grade, lost))
    passed = sum(outcome.status == "passed" for outcome in grade.checks)
    skipped = len(grade.checks) - passed
    later = f"{skipped} check{'s run' if skipped > 1 else ' runs'} only in grading." if skipped else ""
    print(*filter(None, (f"{passed} of {passed} checks passed." if passed else "", later)))


def _report(grade: model.Grade, lost: Sequence[model.Outcome]) -> str:
    """Return what failed, and behind it what only waits until that is right."""
    blocked = [outcome for outcome in lost if outcome.status == "blocked"]
    failed = [outcome for outcome in lost if outcome.status != "blocked"]
    waiting = f" {len(blocked)} not counted until the values are right." if blocked else ""
    lines = [f"{len(failed)} of {len(grade.checks)} checks failed.{waiting}"]
    lines += _wrapped(grade.message, "")
    led = leaders(grade)
    failed.sort(key=lambda outcome: outcome.id in led)
    for place, outcome in enumerate([*failed, *blocked]):
        lines.append(f"{SIGNS[shown_status(outcome, led)]} {outcome.title}  [{outcome.id}]")
        if place >= SHOWN_IN_FULL:
            continue
        cause = f"Cause: {outcome.diagnosis}" if outcome.diagnosis else ""
        for part in (outcome.message, cause, outcome.hint):
            lines += _wrapped(part, "  ")
    return "\n".join(lines)


def _wrapped(text: str, indent: str) -> list[str]:
    return textwrap.wrap(text, WIDTH, initial_indent=indent, subsequent_indent=indent)
