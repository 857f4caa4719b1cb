"""What the page of a class says, gathered in one pass over its grades."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from autograder import model
from autograder.course.marks import RAN
from autograder.report.mistakes import Part, mistakes, parts
from autograder.report.web import statistics
from autograder.report.web.statistics import Estimate
from autograder.runs.results import file_name

NO_CAUSE = ""
ALL_PASS = "all pass"


class Row(NamedTuple):
    """A student's line in the table. ``shares`` are of the points of each part, None where there are none."""

    student: str
    name: str
    section: str
    status: model.GradeStatus
    final: float | None
    max_score: float
    excused: bool
    late: int
    needs_look: bool
    shares: Mapping[str, tuple[float, float]]  # points and maximum by part
    causes: tuple[str, ...]
    message: str

    @property
    def page(self) -> str:
        """The student's own page, from the page of the class."""
        return f"students/{file_name(self.student)}.html"


@dataclass
class OfCause:
    """What one cause did: which students have it, and how many points it cost all of them. ``parts`` counts them.

    ``messages`` are those of public checks that have it, by student.
    """

    name: str
    students: list[Row] = field(default_factory=list)
    points: float = 0.0
    parts: Counter[str] = field(default_factory=Counter)
    messages: dict[str, list[str]] = field(default_factory=dict)


class OfPart(NamedTuple):
    """How hard a part was, and how well it separates. ``whole``: students with all its points."""

    name: str
    points: float
    mean: Estimate
    separation: Estimate | None
    whole: int


class Flag(NamedTuple):
    """A check to look at, and why."""

    id: str
    title: str
    why: str


class ClassFacts:
    """The grades of a class, as its page needs them."""

    def __init__(self, grades: Iterable[model.Grade]) -> None:
        self.rows: list[Row] = []
        self.causes: dict[str, OfCause] = {}
        self.environments: Counter[str] = Counter()
        self.titles: dict[str, str] = {}
        self._passed: dict[str, list[float]] = {}  # by check: who ran, in the order of ``_ran``
        self._parts: dict[str, list[tuple[float, float]]] = {}
        self._ran: list[float] = []  # the graders' scores
        for grade in grades:
            self._add(grade)

    @property
    def scores(self) -> list[float]:
        """The final scores of all who have one."""
        return [row.final for row in self.rows if row.final is not None]

    @property
    def max_score(self) -> float:
        """The most that anybody can have."""
        return max((row.max_score for row in self.rows), default=0.0)

    @property
    def by_cause(self) -> list[OfCause]:
        """The causes, those of most students first; what has no cause is left out."""
        named = [cause for name, cause in self.causes.items() if name != NO_CAUSE]
        return sorted(named, key=lambda cause: (-len(cause.students), -cause.points, cause.name))

    @property
    def part_names(self) -> list[str]:
        """The parts in their order."""
        return list(self._parts)

    def of_parts(self) -> list[OfPart]:
        """Return the parts; none for fewer than ``statistics.FEWEST`` students who ran."""
        if len(self._ran) < statistics.FEWEST:
            return []
        return [self._of_part(name) for name in self._parts if self._most(name)]

    def flags(self) -> list[Flag]:
        """Return the checks that all pass, that all fail, or that separate the wrong way."""
        if len(self._ran) < statistics.FEWEST:
            return []
        found = ((name, self._why(np.array(passed))) for name, passed in self._passed.items())
        return [Flag(name, self.titles[name], why) for name, why in found if why]

    def _add(self, grade: model.Grade) -> None:
        found = mistakes(grade) if grade.status in RAN else []
        own = parts(grade.checks) if grade.status in RAN else []
        causes = tuple(dict.fromkeys(one.check.diagnosis or NO_CAUSE for one in found if one.lost))
        row = _row(grade, own, causes)
        self.rows.append(row)
        for name in causes:
            self.causes.setdefault(name, OfCause(name)).students.append(row)
        for one in found:
            if one.lost:
                cause = self.causes[one.check.diagnosis or NO_CAUSE]
                cause.points += one.lost
                cause.parts[one.check.part] += 1
                if one.check.visibility == "public":
                    cause.messages.setdefault(row.student, []).append(one.check.message)
        self.environments[", ".join(f"{key} {value}" for key, value in sorted(grade.environment.items()))] += 1
        if grade.status in RAN and grade.score is not None:
            self._count(grade, own)

    def _count(self, grade: model.Grade, own: Iterable[Part]) -> None:
        """Note who passed what, for the figures about parts and checks."""
        place = len(self._ran)
        self._ran.append(grade.score or 0.0)
        for check in grade.checks:
            if check.status != "skipped":
                self.titles.setdefault(check.id, check.title)
                self._passed.setdefault(check.id, [np.nan] * place).append(float(check.status == "passed"))
        for part in own:
            self._parts.setdefault(part.name, [(np.nan, np.nan)] * place).append((part.points, part.max_points))
        for values in self._passed.values():
            values.extend([np.nan] * (place + 1 - len(values)))
        for pairs in self._parts.values():
            pairs.extend([(np.nan, np.nan)] * (place + 1 - len(pairs)))

    def _most(self, name: str) -> float:
        return max((most for _, most in self._parts[name] if most == most), default=0.0)

    def _of_part(self, name: str) -> OfPart:
        had, most = np.array(self._parts[name]).T
        known = most > 0
        shares = had[known] / most[known]
        rest = np.array(self._ran)[known] - had[known]
        whole = int(np.count_nonzero(shares > 1 - 1e-9))
        return OfPart(name, self._most(name), statistics.mean(shares), statistics.separation(shares, rest), whole)

    def _why(self, passed: NDArray[np.float64]) -> str:
        known = ~np.isnan(passed)
        rate = float(passed[known].mean())
        if rate == 1:
            return ALL_PASS
        if rate == 0:
            return "all fail"
        found = statistics.separation(passed[known], np.array(self._ran)[known])
        return "those who pass it have lower scores" if found and found.high < 0 else ""


def _row(grade: model.Grade, own: Iterable[Part], causes: tuple[str, ...]) -> Row:
    return Row(
        student=grade.student,
        name=grade.name,
        section=grade.section,
        status=grade.status,
        final=grade.final,
        max_score=grade.max_score,
        excused=grade.excused,
        late=grade.days_late,
        needs_look=grade.needs_look,
        shares={part.name: (part.points, part.max_points) for part in own if part.max_points},
        causes=tuple(cause for cause in causes if cause),
        message="" if grade.status == "graded" else grade.message,
    )
