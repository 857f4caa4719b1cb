"""Test cells: a line such as ``%attngrade ASSIGNMENT CHECK`` names the checks of a cell.

Students see the line, and IPython runs it (see ``integrations.jupyter``). Grading reads it only from the gradebook.
Each cell holds the checks of one part: a function or a class. Hidden checks stand between nbgrader's markers, so
nbgrader removes them from the students' version.
"""

import re
from collections.abc import Iterable, Sequence
from typing import Literal

import msgspec

from autograder import assignments, model
from autograder.model.courses import not_here

MAGIC = "%attngrade"
LOAD = "%load_ext autograder.integrations.jupyter"
BEGIN_HIDDEN = "### BEGIN HIDDEN TESTS"
END_HIDDEN = "### END HIDDEN TESTS"
WIDTH = 88

_MAGIC_LINE = re.compile(rf"^[ \t]*{MAGIC}[ \t]+((?:.*\\\n)*.*)$", re.MULTILINE)
_HIDDEN = re.compile(rf"^.*{BEGIN_HIDDEN[4:]}.*\n(?:.*\n)*?.*{END_HIDDEN[4:]}.*(?:\n|\Z)", re.MULTILINE)


class CheckGroup(msgspec.Struct, frozen=True):
    """The checks of one test cell."""

    part: str
    checks: tuple[model.Check, ...]

    @property
    def name(self) -> str:
        """The cell's ``grade_id`` in nbgrader."""
        return "test-" + re.sub(r"\W+", "-", self.part.lower()).strip("-")

    @property
    def points(self) -> float:
        """The points of all checks together."""
        return sum(check.points for check in self.checks)

    def of(self, visibility: model.Visibility) -> list[model.Check]:
        """Return the public or the hidden checks."""
        return [check for check in self.checks if check.visibility == visibility]


class ReleasedCell(msgspec.Struct, frozen=True):
    """A cell of the released notebook, from the gradebook. Only this version is trusted."""

    name: str
    kind: Literal["code", "markdown", "raw"]
    text: str
    checksum: str | None
    locked: bool
    graded: bool = False
    solution: bool = False
    task: bool = False
    points: float = 0.0

    @property
    def test(self) -> bool:
        """Whether tests score the cell, and not a person."""
        return self.graded and not self.solution and not self.task and self.kind == "code"


class RequestedChecks(msgspec.Struct, frozen=True):
    """The assignment and check ids that a test cell names. Empty for cells that are not attngrade's."""

    assignment: str = ""
    checks: tuple[str, ...] = ()


def groups(checks: Iterable[model.Check]) -> list[CheckGroup]:
    """Group the checks that have points by part, in order of first occurrence."""
    by_part: dict[str, list[model.Check]] = {}
    for check in checks:
        if check.points:
            by_part.setdefault(check.part, []).append(check)
    return [CheckGroup(part, tuple(members)) for part, members in by_part.items()]


def text_of(assignment: str, group: CheckGroup) -> str:
    """Return the text of a test cell, with hidden tests."""
    public, hidden = group.of("public"), group.of("hidden")
    hidden_points = f", {sum(check.points for check in hidden):.4g} of them for hidden tests" if hidden else ""
    lines = [f"# {group.part}: {group.points:.4g} points{hidden_points}"]
    if public:
        lines.append(_magic_line(assignment, public))
    if hidden:
        lines += [BEGIN_HIDDEN, _magic_line(assignment, hidden), END_HIDDEN]
    return "\n".join(lines)


def setup_text(install: str) -> str:
    """Return the text of the first cell. ``install`` says how students install attngrade."""
    comments = [f"# {line}" for line in install.splitlines()]
    return "\n".join(["# The test cells below need this line, and attngrade:", *comments, LOAD])


def _magic_line(assignment: str, checks: Sequence[model.Check]) -> str:
    """Return one magic, continued with backslashes where it is long."""
    lines = [f"{MAGIC} {assignment}"]
    for check in checks:
        if len(lines[-1]) + len(check.id) > WIDTH:
            lines[-1] += " \\"
            lines.append("   ")
        lines[-1] += f" {check.id}"
    return "\n".join(lines)


def parse(text: str) -> RequestedChecks:
    """Return the checks that a cell names.

    Raises ValueError if it names two assignments, or an assignment without checks: nobody could get its points.
    """
    names: dict[str, None] = {}
    ids: dict[str, None] = {}
    for match in _MAGIC_LINE.finditer(text):
        assignment, *checks = match[1].replace("\\\n", " ").split() or [""]
        if checks and assignment not in assignments.NAMES:
            raise ValueError(not_here(assignment))
        if not checks:
            raise ValueError(f"write: {MAGIC} ASSIGNMENT CHECK...; the assignments are {', '.join(assignments.NAMES)}")
        names[assignment] = None
        ids |= dict.fromkeys(checks)
    if len(names) > 1:
        raise ValueError(f"a test cell names {' and '.join(names)}; use one assignment in each cell")
    return RequestedChecks(next(iter(names)), tuple(ids)) if names else RequestedChecks()


def student_text(text: str) -> str:
    """Return the text of a test cell as students get it, without hidden tests."""
    return _HIDDEN.sub("", text)
