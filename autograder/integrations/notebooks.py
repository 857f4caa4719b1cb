"""What test cells in a notebook ask: whether the code cells that ran so far pass a public check.

The cells are asked in a worker of their own, as ``attngrade check`` does, and never in the notebook's kernel: what a
student does to torch, to the test cell or to the tool around it changes nothing.
"""

from __future__ import annotations

import atexit
import re
import sys
from collections.abc import Iterable
from functools import cache, lru_cache

from autograder import exam, model, seed, specs
from autograder.intake.magics import clean
from autograder.runner import Runner
from autograder.sandbox.forkserver import ForkServer
from autograder.sandbox.launch import Launcher, SingleLauncher
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
def grade_cells(topic: str, cells: tuple[str, ...], ids: tuple[str, ...] = ()) -> model.Grade:
    """What these cells get for the checks with these ids, or for all public ones; once for all the questions that are
    asked of them. Raises KeyError for a check that this installation does not have."""
    sources = tuple(clean(cell).encode("utf-8", "replace") for cell in cells)
    work = model.Submission("you", "ready", "notebook", "this notebook", sources)
    return Runner(_questions(topic, ids), _launcher()).grade(work)


def _questions(topic: str, ids: tuple[str, ...]) -> exam.Exam:
    """From what is shipped, or for hidden checks, in a checkout, from the references."""
    public = {one.id for one in specs.load(topic, hidden=False).checks}
    everything = exam.public(topic) if public.issuperset(ids) else exam.full(topic, seed.course_seed())
    return everything.only(ids) if ids else everything


@cache
def _launcher() -> Launcher:
    """Where the code runs, as in attngrade check: students run their own, with what confinement there is. A notebook
    has many test cells, so on Linux torch is imported once for all of them, beside the kernel and as long as it."""
    if sys.platform != "linux":
        return SingleLauncher(Limits(), unconfined=True)
    server = ForkServer(Limits(), unconfined=True)
    atexit.register(server.close)
    return server
