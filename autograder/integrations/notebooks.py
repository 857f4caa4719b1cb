"""Runs checks on the code cells of a notebook that have run so far.

The cells run in a separate worker, as in ``attngrade check``, and never in the notebook's kernel. So changes to torch,
to the test cell or to the tool around it have no effect.
"""

import atexit
import re
import sys
from collections.abc import Collection, Iterable
from functools import cache, lru_cache

from autograder import assignments, model
from autograder.grading import seed, suite
from autograder.grading.runner import Runner
from autograder.grading.usual import usual_limits
from autograder.intake.magics import clean
from autograder.intake.notebook import definitions
from autograder.sandbox.forkserver import ForkServer
from autograder.sandbox.launch import Launcher, SingleLauncher
from autograder.sandbox.limits import Limits

# A cell that only calls the tool. Without such cells, the code is the same whichever check runs first.
CALL = re.compile(r"(?:\s|#[^\n]*\n)*(?:grader\.\w+\([^\n]*\)[^\S\n]*(?:\n\s*|\Z))+")  # a call ends its line
MAGICS = re.compile(r"(?:[^\S\n]*(?:[%#][^\n]*)?(?:\n|\Z))+")  # a cell of magics and comments alone
MARK = "# attngrade-skip"  # begins the generated cells that are no work; their tags are not seen here


def checked(assignment: str, check_id: str, history: Iterable[str]) -> None:
    """Raise AssertionError with the message of ``attngrade check`` unless the cells pass a public check.

    ``history`` is IPython's ``In``. Raises ValueError for a check that this installation does not have.
    """
    __tracebackhide__ = True  # students see the message without a traceback
    grade = grade_cells(assignment, code_cells(history))
    if message := complaint(grade, check_id):
        raise AssertionError(message)


def complaint(grade: model.Grade, check_id: str) -> str:
    """Return the message of a failed or blocked check; empty for a check that passed or that only grading runs.

    Raises ValueError for an unknown check, and RuntimeError if the grader failed.
    """
    if grade.status == "infrastructure-error":
        raise RuntimeError(grade.message)
    outcome = next((check for check in grade.checks if check.id == check_id), None)
    if outcome is None:
        raise ValueError(f"attngrade has no public check {check_id!r} of {grade.assignment}; update attngrade")
    if outcome.status in ("passed", "skipped"):
        return ""
    cause = f"[{outcome.diagnosis}]" if outcome.diagnosis else ""
    return "\n".join(filter(None, (grade.message, outcome.message, cause, outcome.hint)))


def code_cells(history: Iterable[str]) -> tuple[str, ...]:
    """Return the student's own cells in the order in which they last ran."""
    kept = [cell for cell in history if cell.strip() and not CALL.fullmatch(cell)]
    return tuple(reversed(dict.fromkeys(reversed(kept))))


def own_cells(history: Iterable[str], names: Collection[str]) -> tuple[str, ...]:
    """Return the student's own cells, each at its place in IPython's ``In``. Others, and those that ran again, are "".

    Of a generated cell that is no work, only the definitions of ``names`` are kept, as in grading.
    """
    cells = list(history)[1:]  # In begins with an empty text
    last = {cell: place for place, cell in enumerate(cells)}
    kept = [cell if last[cell] == place else "" for place, cell in enumerate(cells)]
    kept = [definitions(clean(cell), names) if cell.startswith(MARK) else cell for cell in kept]
    kept = ["" if MAGICS.fullmatch(cell) else cell for cell in kept]
    while kept and not kept[-1]:
        kept.pop()
    return tuple(kept)


@lru_cache(maxsize=8)
def grade_cells(assignment: str, cells: tuple[str, ...], ids: tuple[str, ...] = ()) -> model.Grade:
    """Grade cells on the checks with these ids, or on all public ones. Equal calls are graded once.

    Raises KeyError for a check that this installation does not have.
    """
    sources = tuple(clean(cell).encode("utf-8", "replace") for cell in cells)
    work = model.Submission("you", "ready", "notebook", "this notebook", sources)
    return Runner(_suite(assignment, ids), _launcher(usual_limits(assignment))).grade(work)


def _suite(assignment: str, ids: tuple[str, ...]) -> suite.CheckSuite:
    """Return the checks with shipped values. Hidden checks need a checkout, which computes values from references."""
    public = {check.id for check in assignments.load(assignment, hidden=False).checks}
    everything = suite.public(assignment) if public.issuperset(ids) else suite.full(assignment, seed.course_seed())
    return everything.only(ids) if ids else everything


@cache
def _launcher(limits: Limits) -> Launcher:
    """Return how code runs: as in ``attngrade check``, with the confinement that is available.

    A notebook has many test cells. So on Linux, one fork server imports torch for all of them, until the kernel ends.
    Assignments with limits of their own have another one.
    """
    if sys.platform != "linux":
        return SingleLauncher(limits, unconfined=True)
    server = ForkServer(limits, unconfined=True)
    atexit.register(server.close)
    return server
