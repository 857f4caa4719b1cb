"""Regrading after a check, a reference, a seed or a limit has changed: propose first, apply when wanted.

Proposals are graded into a second journal in the user's cache. Nothing else is written before ``apply``.
"""

import contextlib
import hashlib
import os
from collections.abc import Callable, Collection, Iterable, Iterator
from pathlib import Path

import msgspec

from autograder import model
from autograder.course import decisions
from autograder.grading import fingerprints
from autograder.grading.cache import user_folder
from autograder.grading.suite import CheckSuite
from autograder.intake import read
from autograder.judge import score
from autograder.runs import affected, deduplication, grading_run, history, pool
from autograder.runs.changes import Proposal, grade_change
from autograder.runs.history import Row
from autograder.runs.journal import Journal, JournalError
from autograder.runs.run_folder import Report, RunFolder


class Regrade:
    """One output folder, and what its grades would be under another plan."""

    def __init__(
        self, old: Journal, proposed: Journal, plan: pool.RunPlan, only: Collection[str] | None = None
    ) -> None:
        """``old`` is only read; ``proposed`` keeps what is graded for the proposal. Raises SuiteError.

        ``only``: propose changes for these students, and leave everybody else as they are.
        """
        self.old, self.proposed, self.plan, self.only = old, proposed, plan, only
        self.run = fingerprints.of_run(plan)
        self.new = grading_run.suite_fingerprints(plan)
        self.proposal = Proposal(plan.assignment)
        self.in_flight: dict[str, model.Submission] = {}  # by student, without the source text
        self.replaced: list[str] = []  # students whose grade changes, in score or only in words

    def propose(
        self, entries: Iterable[model.Entry], jobs: int, grade_all: pool.GradeAll, progress: Callable[[int], None]
    ) -> Proposal:
        """Grade the submissions that the change can touch. ``progress`` gets the number graded so far.

        Raises JournalError, and whatever ``grade_all`` raises.
        """
        present: set[str] = set()
        for _, grade in grade_all(self.plan, self._to_run(entries, present), jobs):
            submission = self.in_flight.pop(grade.student)
            addressed = deduplication.addressed(grade, submission)
            self.proposed.record(addressed, fingerprints.of_submission(submission), self.run)
            self.proposal.graded += 1
            progress(self.proposal.graded)
        for row in self._rows():
            if row.student not in present and row.grade.status == "missing":
                self.proposal.unchanged += 1  # somebody on the roster who handed nothing in
            elif row.student not in present:
                self.proposal.gone.append(row.student)
            elif row.student not in self.proposal.work_changed:
                self._compare(row)
        return self.proposal

    def _to_run(self, entries: Iterable[model.Entry], present: set[str]) -> Iterator[model.Submission]:
        """Yield the submissions that must be run again. Grades that are known without are proposed at once."""
        for entry in entries:
            if not self._asked(entry.student):
                continue
            present.add(entry.student)
            row = history.row(self.old, entry.student)
            if row is None:
                self.proposal.ungraded.append(entry.student)
                continue
            submission = self._read(entry)
            if submission is None or fingerprints.of_submission(submission) != row.work:
                self.proposal.work_changed.append(entry.student)
            elif row.run != self.run and self._must_run(row):
                self.in_flight[row.student] = msgspec.structs.replace(submission, cells=())
                yield deduplication.anonymous(submission, self.plan.assignment)

    def _asked(self, student: str) -> bool:
        return self.only is None or student in self.only

    def _rows(self) -> Iterator[Row]:
        return (row for row in history.rows(self.old) if self._asked(row.student))

    def _read(self, entry: model.Entry) -> model.Submission | None:
        with contextlib.suppress(Exception):  # no submission should cause one; if it does, the others go on
            return read(entry, self.plan.assignment)
        return None

    def _must_run(self, row: Row) -> bool:
        """Return whether a grade can be known only by a run; record it if it is known without."""
        why = affected.reason(self._fingerprints_of(row.run), self.new, row.grade)
        if not why:
            self.proposal.reckoned += 1
            self.proposed.record(rescored(row.grade, pool.suite_of(self.plan), self.plan.strict), row.work, self.run)
        elif self.proposed.known(row.student, row.work, self.run) is None:
            self.proposal.reasons[why] = self.proposal.reasons.get(why, 0) + 1
            return True
        return False

    def _fingerprints_of(self, run: str) -> fingerprints.Fingerprints | None:
        """Return what the journal knows of an earlier run's suite."""
        noted = self.old.noted(grading_run.suite_key(run))
        with contextlib.suppress(msgspec.MsgspecError):
            return msgspec.json.decode(noted, type=fingerprints.Fingerprints) if noted else None
        return None

    def _compare(self, row: Row) -> None:
        """Compare a grade with the proposed one."""
        before, after = row.grade, self._after(row).grade
        if after.status == "infrastructure-error":
            self.proposal.failed.append(row.student)
        elif after == before:
            self.proposal.unchanged += 1
        else:
            self.replaced.append(row.student)
            if (after.score, after.max_score, after.status) == (before.score, before.max_score, before.status):
                self.proposal.reworded += 1
            else:
                self.proposal.changed.append(grade_change(before, after, self._fingerprints_of(row.run), self.new))

    def _after(self, row: Row) -> Row:
        """Return what a row becomes. A grade that differs only in seconds and versions stays as it is."""
        found = history.row(self.proposed, row.student)
        if found is None or (found.work, found.run) != (row.work, self.run):
            return row
        same = history.timeless(found.grade) == history.timeless(row.grade)
        return msgspec.structs.replace(found, grade=row.grade) if same else found

    def apply(self, folder: RunFolder, write_report: Report) -> None:
        """Write the proposal into the output folder. Raises JournalError or OSError.

        Replaced files go to ``previous``, replaced grades to the journal's history.
        """
        kept = {*self.proposal.failed, *self.proposal.work_changed, *self.proposal.gone}
        if self.replaced:
            folder.copy_aside(self.replaced)
        pairs = ((row, self._after(row)) for row in self._rows() if row.student not in kept)
        history.amend(folder.journal, pairs, decisions.now(), decisions.user())
        grading_run.note_suite(folder, self.run, self.new)
        for student in self.replaced:
            row = history.row(folder.journal, student)
            assert row is not None
            folder.write_result(row.grade)
        folder.finish(write_report)


def rescored(grade: model.Grade, suite: CheckSuite, strict: bool = False) -> model.Grade:
    """Return a grade with the suite's titles and points for the known outcomes, without running anything.

    If nothing of a submission was run, all its checks have the same outcome, and new checks get it too.
    """
    known = {outcome.id: outcome for outcome in grade.checks}
    common = next(iter(grade.checks), None)
    outcomes = []
    for check in suite.spec.checks:
        outcome = known.get(check.id, common)
        if outcome is None:  # an infrastructure error may have no outcomes
            return grade
        outcomes.append(
            msgspec.structs.replace(
                outcome,
                id=check.id,
                title=check.title,
                kind=check.kind,
                visibility=check.visibility,
                part=check.part,
                max_points=float(check.points),
            )
        )
    scored = score.scored(outcomes, strict, suite.spec.shares)
    points, maximum = score.of_grade(grade.status, scored, suite.points)
    return msgspec.structs.replace(grade, checks=scored, score=points, max_score=maximum)


def proposed_in(out: Path, assignment: str) -> Journal:
    """Return the journal of what was graded for proposals of ``out``; one in memory if the cache can't be used.

    It may hold grades of other plans or submissions, which nobody asks for.
    """
    path = proposal_file(out)
    try:
        path.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
        with contextlib.suppress(JournalError):
            return Journal(path, assignment)
        discard(out)  # another assignment's, or damaged
        return Journal(path, assignment)
    except (OSError, JournalError):
        return Journal(Path(":memory:"), assignment)


def discard(out: Path) -> None:
    """Remove the proposals of ``out``."""
    for end in ("", "-wal", "-shm"):
        with contextlib.suppress(FileNotFoundError, NotADirectoryError):
            os.unlink(f"{proposal_file(out)}{end}")


def proposal_file(out: Path) -> Path:
    """Return where the proposals of ``out`` lie."""
    name = hashlib.sha256(os.path.realpath(out).encode("utf-8", "surrogateescape")).hexdigest()
    return user_folder("attngrade-regrade") / f"{name}.sqlite"
