"""``%attngrade ASSIGNMENT CHECK...`` in a notebook: run checks on the cells that have run so far.

The cell passes if all checks pass. Otherwise it raises the message of ``attngrade check``. Test cells of nbgrader
courses contain this line. On a student's machine it runs public checks with shipped values. Grading does not run it, so
a notebook that changes it changes no grade.
"""

import textwrap
from collections.abc import Iterable, Sequence
from typing import Any

from autograder import assignments, model
from autograder.integrations import notebooks

NAME = "attngrade"
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


def load_ipython_extension(shell: Any) -> None:
    """Register the magic; ``%load_ext`` calls this."""
    shell.register_magic_function(lambda line: check(line, shell.history_manager.input_hist_raw), "line", NAME)


def check(line: str, cells: Iterable[str]) -> None:
    """Run the checks that ``line`` names on ``cells``, which ran in this order. Raises NotPassed or Misused."""
    assignment, *ids = line.split() or [""]
    if assignment not in assignments.NAMES or not ids:
        raise Misused(f"write: %{NAME} ASSIGNMENT CHECK...; the assignments are {', '.join(assignments.NAMES)}")
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
    for place, outcome in enumerate([*failed, *blocked]):
        lines.append(f"{'○' if outcome.status == 'blocked' else '✗'} {outcome.title}  [{outcome.id}]")
        if place >= SHOWN_IN_FULL:
            continue
        cause = f"Cause: {outcome.diagnosis}" if outcome.diagnosis else ""
        for part in (outcome.message, cause, outcome.hint):
            lines += _wrapped(part, "  ")
    return "\n".join(lines)


def _wrapped(text: str, indent: str) -> list[str]:
    return textwrap.wrap(text, WIDTH, initial_indent=indent, subsequent_indent=indent)
