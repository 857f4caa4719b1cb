"""All cases of a submission together."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import NamedTuple, Protocol

from autograder import model, protocol
from autograder.feedback.diagnose.case_record import CaseRecord


class Rerun(Protocol):
    """Run a program again, several times, in a new worker. Return the answers; None where there is none."""

    def __call__(self, program: protocol.Program, /) -> tuple[protocol.Answer | None, ...]: ...


class SubmissionRecords:
    """A submission's cases, by id: which of them fail, and a way to run one again in a new process."""

    def __init__(
        self,
        records: Mapping[str, CaseRecord],
        failing: set[str],
        rerun: Rerun,
        own_backward: bool = False,
        helped: frozenset[str] = frozenset(),
    ) -> None:
        self.records = records
        self.failing = failing
        self.helped = helped  # cases that were answered with right parts in the place of the submission's
        self.own_backward = own_backward  # whether the file defines a backward pass by hand
        self.patterns: dict[frozenset[str], set[str]] = {}  # causes, by what is called
        self._rerun = rerun
        self._reruns: dict[frozenset[str], tuple[CaseRecord, ...]] = {}

    def targets(self, cases: Iterable[str]) -> frozenset[str]:
        """Return the functions and methods that these cases call."""
        return frozenset().union(*(self.records[case].targets for case in cases))

    def classes(self, cases: Iterable[str]) -> frozenset[str]:
        """Return the functions and classes that these cases call."""
        return frozenset().union(*(self.records[case].classes for case in cases))

    def failing_of(self, targets: frozenset[str]) -> list[CaseRecord]:
        """Return the failing cases that call any of ``targets``."""
        return [record for case, record in self.records.items() if case in self.failing and record.targets & targets]

    def passing_of(self, targets: frozenset[str]) -> list[CaseRecord]:
        """Return the passing cases that call any of ``targets``."""
        others = (record for case, record in self.records.items() if case not in self.failing and record.actual)
        return [record for record in others if record.targets & targets]

    def rerun(self, record: CaseRecord) -> tuple[CaseRecord, ...]:
        """Return what the first wrong call shows when it runs alone in a new process, once for each repetition.
        Cases that call the same share one rerun."""
        if record.targets not in self._reruns:
            self._reruns[record.targets] = self.run(record.alone())
        return self._reruns[record.targets]

    def run(self, prepared: model.Prepared) -> tuple[CaseRecord, ...]:
        """Return what a case shows in a new process, once for each repetition."""
        return tuple(CaseRecord(prepared, answer) for answer in self._rerun(prepared.program))


class CallGroup(NamedTuple):
    """The cases that call the same: those that fail, and those that pass."""

    failing: Sequence[CaseRecord]
    passing: Sequence[CaseRecord]
    submission: SubmissionRecords
