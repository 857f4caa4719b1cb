"""``assignment.toml``: how a course grades an assignment, without any Python. ``docs/settings.md`` has an example."""

from __future__ import annotations

import difflib
import math
import tomllib
from collections.abc import Collection, Iterator, Mapping
from pathlib import Path
from typing import Any

import msgspec

from autograder.course import lateness
from autograder.course.lateness import LateError, LateRule
from autograder.intake.errors import Unreadable
from autograder.intake.files import read_regular
from autograder.model import Spec, StudentView, Weights

NAME = "assignment.toml"
LONGEST = 1_000_000  # bytes


class SettingsError(ValueError):
    """The file can't be used. The text is for the person at the keyboard."""


class Settings(msgspec.Struct, frozen=True):
    """What ``assignment.toml`` says. None and empty tables mean: as usual."""

    assignment: str = ""
    total: float = 100.0
    drop: tuple[str, ...] = ()
    timing: bool | None = None
    strict: bool | None = None
    extra_credit: bool = False
    parts: dict[str, float] = {}
    checks: dict[str, float] = {}
    causes: dict[str, float] = {}
    limits: dict[str, float] = {}
    late: LateRule = LateRule()
    students: StudentView = StudentView()

    @property
    def weights(self) -> Weights:
        """The same as a plan holds it."""
        pairs = (tuple(sorted(table.items())) for table in (self.parts, self.checks, self.causes))
        parts, checks, causes = pairs
        return Weights(parts, checks, tuple(sorted(self.drop)), causes, self.total)


def read_settings(path: Path, spec: Spec, causes: Collection[str]) -> Settings:
    """Return the settings in a file, checked against an assignment's checks. Raises SettingsError."""
    try:
        data = tomllib.loads(read_regular(str(path), LONGEST).decode("utf-8"))
        _refuse_unknown(data, Settings.__struct_fields__, "setting")
        for name, table in (("late", LateRule), ("students", StudentView)):
            if isinstance(own := data.get(name), dict):
                _refuse_unknown(own, table.__struct_fields__, f"setting of [{name}]")
        found = msgspec.convert(data, Settings)
        if found.students.after:
            lateness.time(found.students.after)
    except Unreadable as error:
        raise SettingsError(f"{path} {error}") from error
    except (tomllib.TOMLDecodeError, UnicodeDecodeError, msgspec.ValidationError, LateError, SettingsError) as error:
        raise SettingsError(f"{path}: {error}") from error
    if problem := next(_problems(found, spec, causes), ""):
        raise SettingsError(f"{path}: {problem}")
    return found


def _problems(found: Settings, spec: Spec, causes: Collection[str]) -> Iterator[str]:
    """Yield what does not fit the assignment."""
    if found.assignment not in ("", spec.assignment):
        yield f"these are settings of {found.assignment}, not of {spec.assignment}"
    checks = [check.id for check in spec.checks]
    tables = (found.parts, spec.parts, "part"), (found.checks, checks, "check"), (found.causes, causes, "cause")
    for names, known, what in (*tables, (found.drop, checks, "check")):
        yield from (unknown(name, known, what) for name in names if name not in known)
    points = {"total": found.total} | found.parts | found.checks
    yield from (f"{name} is {value}; expected a number of points" for name, value in points.items() if _odd(value))
    shares = found.causes.items()
    yield from (f"{name} is {value}; expected a share from 0 to 1" for name, value in shares if _odd(value, 1))
    left = [check for check in spec.checks if check.id not in found.drop]
    own, parts = found.checks, found.parts
    if not found.total or not sum(own.get(one.id, parts.get(one.part, one.points)) for one in left):
        yield "no points are left: give some part or check a weight, and a total above 0"


def _odd(value: float, most: float = math.inf) -> bool:
    return not (math.isfinite(value) and 0 <= value <= most)


def _refuse_unknown(data: Mapping[str, Any], known: Collection[str], what: str) -> None:
    for name in data:
        if name not in known:
            raise SettingsError(unknown(name, known, what))


def unknown(name: str, known: Collection[str], what: str) -> str:
    """Return the message about a name that is not known, with those that it may be a slip for."""
    near = difflib.get_close_matches(name, known, 3, 0.5)
    hint = f"did you mean {' or '.join(near)}?" if near else f"there are {', '.join(sorted(known))}"
    return f"there is no {what} {name!r}; {hint}"
