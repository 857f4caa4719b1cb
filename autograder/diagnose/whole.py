"""All cases of a submission together."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import NamedTuple

from autograder import model
from autograder.diagnose.record import Record

Again = Callable[[model.Program], tuple[model.Answer | None, ...]]


class Whole:
    """All of a submission's cases, which of them fail, and a way to ask one again in a new process."""

    def __init__(
        self,
        records: Mapping[str, Record],
        failing: set[str],
        again: Again,
        own_backward: bool,
    ) -> None:
        self.records = records
        self.failing = failing
        self._again = again
        self.own_backward = own_backward  # whether the file writes one by hand
        self.patterns: dict[frozenset[str], set[str]] = {}  # what was found, by what is called
        self._asked: dict[frozenset[str], tuple[Record, ...]] = {}

    def failing_of(self, targets: frozenset[str]) -> list[Record]:
        """Cases that fail in which any of ``targets`` is called."""
        return [
            self.records[case] for case in self.records if case in self.failing and self._calls(case, targets)
        ]

    def like(self, cases: Iterable[str]) -> list[Record]:
        """The cases that fail in which the same is called as in ``cases``."""
        return self.failing_of(frozenset().union(*(self.records[case].targets for case in cases)))

    def passing_of(self, targets: frozenset[str]) -> list[Record]:
        """Cases that went well in which any of ``targets`` is called."""
        return [
            record
            for case, record in self.records.items()
            if case not in self.failing and record.came and self._calls(case, targets)
        ]

    def again(self, record: Record) -> tuple[Record, ...]:
        """What the first call that went wrong showed when it was asked alone, twice, in a new process. One case
        is enough for all of the same calls."""
        if record.targets not in self._asked:
            prepared = record.alone()
            answers = self._again(prepared.program)
            self._asked[record.targets] = tuple(Record(prepared, answer) for answer in answers)
        return self._asked[record.targets]

    def _calls(self, case: str, targets: frozenset[str]) -> bool:
        return bool(self.records[case].targets & targets)


class Group(NamedTuple):
    """The cases in which the same is called: those that fail, and those that don't."""

    failing: Sequence[Record]
    passing: Sequence[Record]
    whole: Whole
