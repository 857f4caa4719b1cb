"""``%attngrade TOPIC CHECK...`` in a notebook: the checks of what its cells say so far.

A cell with it passes where all of them pass, and raises what ``attngrade check`` would tell where not. It is what
stands in the test cells of a course for nbgrader, on a student's machine: public checks, shipped values. Grading
does not run it, and whatever a notebook does to it changes no grade.
"""

from __future__ import annotations

import textwrap
from collections.abc import Iterable, Sequence
from typing import Any

from autograder import model
from autograder.integrations import notebooks

NAME = "attngrade"
SHOWN_IN_FULL = 3  # of what was not passed; of the rest the title
WIDTH = 84  # nbgrader validate cuts lines at 90


class NotPassed(AssertionError):
    """A check that was not passed; IPython prints the message without our own lines of code."""

    def _render_traceback_(self) -> list[str]:
        return str(self).splitlines()


class Misused(ValueError):
    """A line that asks for what there is not."""

    def _render_traceback_(self) -> list[str]:
        return [str(self)]


def load_ipython_extension(shell: Any) -> None:
    """What ``%load_ext`` calls."""
    shell.register_magic_function(
        lambda line: check(line, shell.history_manager.input_hist_raw), "line", NAME
    )


def check(line: str, cells: Iterable[str]) -> None:
    """Asks what ``line`` names of the code in ``cells``, which ran in this order. Raises NotPassed or Misused."""
    topic, *ids = line.split() or [""]
    if topic not in model.TOPICS or not ids:
        raise Misused(f"say: %{NAME} TOPIC CHECK...; the topics are {', '.join(model.TOPICS)}")
    try:
        grade = notebooks.grade_cells(topic, tuple(cells), tuple(ids))
    except KeyError as error:
        raise Misused(f"there is no check {error} of {topic} in this version of attngrade") from None
    lost = [outcome for outcome in grade.checks if outcome.status not in ("passed", "skipped")]
    if lost or grade.status != "graded":
        raise NotPassed(_told(grade, lost))
    passed = sum(outcome.status == "passed" for outcome in grade.checks)
    rest = len(grade.checks) - passed
    print(f"{passed} of {passed} checks passed." if passed else "", *[_later(rest)] if rest else [])


def _later(number: int) -> str:
    return f"{number} check{'s are' if number > 1 else ' is'} made when the submission is graded."


def _told(grade: model.Grade, lost: Sequence[model.Outcome]) -> str:
    lines = [f"{len(lost)} of {len(grade.checks)} checks not passed."]
    lines += _wrapped(grade.message, "")
    for place, outcome in enumerate(lost):
        lines.append(f"✗ {outcome.title}  [{outcome.id}]")
        if place >= SHOWN_IN_FULL:
            continue
        cause = f"Cause: {outcome.diagnosis}" if outcome.diagnosis else ""
        for part in (outcome.message, cause, outcome.hint):
            lines += _wrapped(part, "  ")
    return "\n".join(lines)


def _wrapped(text: str, indent: str) -> list[str]:
    return textwrap.wrap(text, WIDTH, initial_indent=indent, subsequent_indent=indent)
