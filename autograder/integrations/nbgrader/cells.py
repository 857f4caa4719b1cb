"""What stands in a test cell: a line that names the checks it is for. Students see it, IPython runs it (see
``integrations.jupyter``), and grading reads it, from the gradebook only.

Checks stand together in one cell by the part of the handout that explains them; hidden ones between nbgrader's
markers, so that students get the cell without them.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from typing import Literal

import msgspec

from autograder import model

MAGIC = "%attngrade"
SETUP = "# The test cells below need this line, and: pip install attngrade\n%load_ext autograder.integrations.jupyter"
BEGIN_HIDDEN = "### BEGIN HIDDEN TESTS"
END_HIDDEN = "### END HIDDEN TESTS"
WIDTH = 88

_ASKED = re.compile(rf"^[ \t]*{MAGIC}[ \t]+((?:.*\\\n)*.*)$", re.MULTILINE)
_HIDDEN = re.compile(rf"^.*{BEGIN_HIDDEN[4:]}.*\n(?:.*\n)*?.*{END_HIDDEN[4:]}.*(?:\n|\Z)", re.MULTILINE)


class Group(msgspec.Struct, frozen=True):
    """The checks of one test cell."""

    section: str
    checks: tuple[model.Check, ...]

    @property
    def name(self) -> str:
        """nbgrader's name of the cell."""
        return "test-" + re.sub(r"\W+", "-", self.section.lower()).strip("-")

    @property
    def points(self) -> float:
        """Of all its checks."""
        return sum(check.points for check in self.checks)

    def of(self, visibility: model.Visibility) -> list[model.Check]:
        """Its public or its hidden checks."""
        return [check for check in self.checks if check.visibility == visibility]


class Source(msgspec.Struct, frozen=True):
    """A cell as the gradebook knows it, which is the only one to be believed."""

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
        """Whether its points are given by tests, and not by a person."""
        return self.graded and not self.solution and not self.task and self.kind == "code"


class Asked(msgspec.Struct, frozen=True):
    """What a test cell names: a topic, and ids of its checks. Empty: it is none of ours."""

    topic: str = ""
    checks: tuple[str, ...] = ()


def groups(checks: Iterable[model.Check]) -> list[Group]:
    """The checks that are worth something, by section, in the order in which sections first occur."""
    by_section: dict[str, list[model.Check]] = {}
    for check in checks:
        if check.points:
            by_section.setdefault(check.section or "Rules", []).append(check)
    return [Group(section, tuple(found)) for section, found in by_section.items()]


def source(topic: str, group: Group) -> str:
    """The text of a test cell, hidden tests included."""
    public, hidden = group.of("public"), group.of("hidden")
    unseen = sum(check.points for check in hidden)
    told = f", {unseen:.4g} of them for tests that are not shown" if hidden else ""
    lines = [f"# {group.section}: {group.points:.4g} points{told}"]
    if public:
        lines.append(_line(topic, public))
    if hidden:
        lines += [BEGIN_HIDDEN, _line(topic, hidden), END_HIDDEN]
    return "\n".join(lines)


def _line(topic: str, checks: Sequence[model.Check]) -> str:
    """One magic, which goes on in further lines where it is long."""
    lines = [f"{MAGIC} {topic}"]
    for check in checks:
        if len(lines[-1]) + len(check.id) > WIDTH:
            lines[-1] += " \\"
            lines.append("   ")
        lines[-1] += f" {check.id}"
    return "\n".join(lines)


def asked(text: str) -> Asked:
    """What a test cell's text names. Raises ValueError for one that names two topics, or a topic without a check:
    its points would be nobody's."""
    topics: dict[str, None] = {}
    ids: dict[str, None] = {}
    for match in _ASKED.finditer(text):
        topic, *names = match[1].replace("\\\n", " ").split() or [""]
        if topic not in model.TOPICS or not names:
            raise ValueError(f"say: {MAGIC} TOPIC CHECK...; the topics are {', '.join(model.TOPICS)}")
        topics[topic] = None
        ids |= dict.fromkeys(names)
    if len(topics) > 1:
        raise ValueError(f"a test cell names {' and '.join(topics)}; it can be for one of them only")
    return Asked(next(iter(topics)), tuple(ids)) if topics else Asked()


def shown(text: str) -> str:
    """A test cell's text as students get it."""
    return _HIDDEN.sub("", text)
