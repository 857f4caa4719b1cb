"""What test cells in a notebook ask: whether the code cells that ran so far pass a public check.

The cells are asked in a worker of their own, as ``attngrade check`` does, and never in the notebook's kernel: what a
student does to torch, to the test cell or to the tool around it changes nothing.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from functools import lru_cache

from autograder import exam, model
from autograder.intake.magics import clean
from autograder.runner import Runner
from autograder.sandbox.launch import SingleLauncher
from autograder.sandbox.limits import Limits

# A cell that only calls the tool: without it the work is the same whichever check is asked for first.
CALL = re.compile(r"(?:\s|#[^\n]*\n)*(?:grader\.\w+\([^\n]*\)\s*)+")


def checked(topic: str, check_id: str, history: Iterable[str]) -> None:
    """Raises AssertionError, with the message that ``attngrade check`` would print, unless the cells of ``history``
    (IPython's ``In``) pass a public check; ValueError for a check that this installation does not have."""
    __tracebackhide__ = True  # a student should see the message, not these lines
    grade = grade_cells(topic, code_cells(history))
    told = complaint(grade, check_id)
    if told:
        raise AssertionError(told)


def complaint(grade: model.Grade, check_id: str) -> str:
    """What is to be said of a check; empty where it was passed, or can only be told when the work is graded. Raises
    ValueError and, where the fault is ours, RuntimeError."""
    if grade.status == "infrastructure-error":
        raise RuntimeError(grade.message)
    outcome = next((check for check in grade.checks if check.id == check_id), None)
    if outcome is None:
        raise ValueError(
            f"attngrade has no public check {check_id!r} of {grade.assignment}; update attngrade"
        )
    if outcome.status in ("passed", "skipped"):
        return ""
    cause = f"[{outcome.diagnosis}]" if outcome.diagnosis else ""
    told = (grade.message, outcome.message, cause, outcome.hint)
    return "\n".join(part for part in told if part)


def code_cells(history: Iterable[str]) -> tuple[str, ...]:
    """The student's own cells in the order in which they last ran."""
    kept = [cell for cell in history if cell.strip() and not CALL.fullmatch(cell)]
    return tuple(reversed(dict.fromkeys(reversed(kept))))


@lru_cache(maxsize=8)
def grade_cells(topic: str, cells: tuple[str, ...]) -> model.Grade:
    """The public checks of these cells; once for all the questions of a notebook."""
    sources = tuple(clean(cell).encode("utf-8", "replace") for cell in cells)
    work = model.Submission("notebook", "ready", "notebook", f"{topic}.ipynb", sources)
    return Runner(exam.public(topic), SingleLauncher(Limits(), unconfined=True)).grade(work)
