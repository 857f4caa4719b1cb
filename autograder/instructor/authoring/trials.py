"""Submissions that an assignment must judge rightly: the solution, the untouched skeleton, and zeros everywhere."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

from autograder.assignments import places
from autograder.instructor.release.render import skeleton
from autograder.instructor.release.solution_script import cells
from autograder.instructor.release.stubs import stubbed

ZEROS = """

def _zero(result):
    if isinstance(result, (tuple, list)):
        return type(result)(_zero(one) for one in result)
    return result if result is None else result * 0


def _zeroed(function):
    return lambda *args, **kwargs: _zero(function(*args, **kwargs))


for _name in {names!r}:
    _part = globals()[_name]
    if isinstance(_part, type):
        for _method, _function in list(vars(_part).items()):
            if callable(_function) and (_method == "forward" or not _method.startswith("_")):
                setattr(_part, _method, _zeroed(_function))
    else:
        globals()[_name] = _zeroed(_part)
"""


class Trial(NamedTuple):
    """A submission and the share of the points that it must get."""

    name: str
    source: str
    expected: float


def trials(assignment: str, parts: Sequence[str]) -> list[Trial]:
    """Return the submissions that show whether the checks are sound."""
    solution = places.place(assignment).solution.read_text(encoding="utf-8")
    return [
        Trial("the solution", solution, 1.0),
        Trial("the untouched skeleton", skeleton(assignment, cells(stubbed(solution))), 0.0),
        Trial("an empty file", "", 0.0),
        Trial("zeros of the right shapes", solution + ZEROS.format(names=list(parts)), 0.0),
    ]
