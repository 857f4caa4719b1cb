"""After a check, a reference, a seed or a limit has changed: who is touched by it, what they would get, and, when that
is wanted, the change itself. Until then nothing is written but the proposal, which lies elsewhere.
"""

from __future__ import annotations

import contextlib
import hashlib
import os
import shutil
import time
from collections.abc import Callable, Iterable, Iterator
from pathlib import Path

import msgspec

from autograder import bulk, caches, ledger, model, prints, results, score, sharing
from autograder.exam import Exam
from autograder.gradebook import Gradebook, Report, new_place, seal_of
from autograder.intake import read
from autograder.journal import Journal, JournalError
from autograder.ledger import Row


class CheckChange(msgspec.Struct, frozen=True):
    """One check of one student, before and after; None where there is no such check. ``why``: what is known to have
    become of the check itself."""

    id: str
    before: str | None
    after: str | None
    points_before: float
    points_after: float
    why: str


class Change(msgspec.Struct, frozen=True):
    """How one student's grade changes."""

    student: str
    score_before: float | None
    score_after: float | None
    max_before: float
    max_after: float
    status_before: str
    status_after: str
    checks: tuple[CheckChange, ...]

    @property
    def by(self) -> float | None:
        """Points; None where either score is none."""
        if self.score_before is None or self.score_after is None:
            return None
        return round(self.score_after - self.score_before, 6)


class Proposal(msgspec.Struct):
    """What a regrade comes to. Students are named where somebody has to look at them, else counted."""

    assignment: str
    changed: list[Change] = []  # another score, maximum or status
    reworded: int = 0  # the same score, but for another message, cause or check's outcome
    unchanged: int = 0
    graded: int = 0  # run again
    reckoned: int = 0  # known without
    reasons: dict[str, int] = {}  # why submissions were run again
    failed: list[str] = []  # our fault: these keep what they have
    work_changed: list[str] = []  # whose submission is another than the one graded; they keep what they have
    gone: list[str] = []
    ungraded: list[str] = []  # who was not there when the others were graded


class Regrade:
    """One output folder, and what its grades would be by another plan."""

    def __init__(self, old: Journal, proposed: Journal, plan: bulk.Plan) -> None:
        """``old`` is only read; ``proposed`` keeps what was graded for a proposal. Raises ExamError."""
        self.old, self.proposed, self.plan = old, proposed, plan
        self.seal = seal_of(plan)
        self.new = prints.prints(plan, bulk.exam_of(plan))
        self.proposal = Proposal(plan.topic)

    def propose(
        self, entries: Iterable[model.Entry], jobs: int, grade_all: bulk.GradeAll, told: Callable[[int], None]
    ) -> Proposal:
        """Grades whom the change can touch; ``told`` hears how many have been. Raises JournalError, and what
        ``grade_all`` raises."""
        works: dict[str, model.Submission] = {}  # without their text
        seen: set[str] = set()
        for _, grade in grade_all(self.plan, self._to_run(entries, works, seen), jobs):
            submission = works.pop(grade.student)
            told_grade = sharing.addressed(grade, submission)
            self.proposed.record(told_grade, sharing.identity(submission), self.seal)
            self.proposal.graded += 1
            told(self.proposal.graded)
        for row in ledger.rows(self.old):
            if row.student not in seen:
                self.proposal.gone.append(row.student)
            elif row.student not in self.proposal.work_changed:
                self._hold(row)
        return self.proposal

    def _to_run(
        self, entries: Iterable[model.Entry], works: dict[str, model.Submission], seen: set[str]
    ) -> Iterator[model.Submission]:
        """The submissions that must be run again; what is known of others is proposed at once."""
        for entry in entries:
            seen.add(entry.student)
            row = ledger.row(self.old, entry.student)
            if row is None:
                self.proposal.ungraded.append(entry.student)
                continue
            try:
                submission = read(entry, self.plan.topic)
                same = sharing.identity(submission) == row.work
            except Exception:  # which no submission should be able to cause; the others go on
                same = False
            if not same:
                self.proposal.work_changed.append(entry.student)
                continue
            why = (
                "" if row.exam == self.seal else prints.reason(self.prints_of(row.exam), self.new, row.grade)
            )
            if not why:
                self._know(row)
            elif self.proposed.known(row.student, row.work, self.seal) is None:
                self.proposal.reasons[why] = self.proposal.reasons.get(why, 0) + 1
                works[row.student] = msgspec.structs.replace(submission, cells=())
                yield sharing.anonymous(submission, self.plan.topic)

    def _know(self, row: Row) -> None:
        if row.exam != self.seal:
            grade = reckoned(row.grade, bulk.exam_of(self.plan))
            self.proposal.reckoned += 1
            self.proposed.record(grade, row.work, self.seal)

    def prints_of(self, seal: str) -> prints.Prints | None:
        """What an exam consisted of, if the journal was told."""
        told = self.old.noted(prints.key(seal))
        with contextlib.suppress(msgspec.MsgspecError):
            return msgspec.json.decode(told, type=prints.Prints) if told else None
        return None

    def _hold(self, row: Row) -> None:
        """One student's grade against what it would be."""
        after = self.after(row)
        if after.grade.status == "infrastructure-error":
            self.proposal.failed.append(row.student)
        elif after.grade == row.grade:
            self.proposal.unchanged += 1
        elif _standing(after.grade) == _standing(row.grade):
            self.proposal.reworded += 1
        else:
            old = self.prints_of(row.exam)
            self.proposal.changed.append(_change(row.grade, after.grade, old, self.new))

    def after(self, row: Row) -> Row:
        """What a row would become; a grade that differs in nothing but time and place stays as it is."""
        found = ledger.row(self.proposed, row.student)
        if found is None or (found.work, found.exam) != (row.work, self.seal):
            return row
        same = _lasting(found.grade) == _lasting(row.grade)
        return msgspec.structs.replace(found, grade=row.grade) if same else found

    def apply(self, book: Gradebook, write_report: Report) -> None:
        """Writes what was proposed into the output folder: earlier files go to ``previous``, earlier grades to the
        journal's history. Raises JournalError or OSError."""
        kept = {*self.proposal.failed, *self.proposal.work_changed, *self.proposal.gone}
        changes = [
            row.student
            for row in ledger.rows(self.old)
            if row.student not in kept and self.after(row).grade != row.grade
        ]
        if changes:
            _copy_aside(book.out, changes)
        pairs = ((row, self.after(row)) for row in ledger.rows(self.old) if row.student not in kept)
        ledger.amend(book.journal, pairs, time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime()))
        book.journal.note(prints.key(self.seal), msgspec.json.encode(self.new).decode())
        for student in changes:
            found = ledger.row(book.journal, student)
            assert found is not None
            results.write_result(book.out / "results", found.grade)
        book.finish(write_report)


def reckoned(grade: model.Grade, exam: Exam) -> model.Grade:
    """A grade by other titles and points, of which all outcomes are known: each check's own, or, where nothing was
    asked of a submission, what all have in common."""
    known = {outcome.id: outcome for outcome in grade.checks}
    common = next(iter(grade.checks), None)
    outcomes = []
    for check in exam.spec.checks:
        outcome = known.get(check.id, common)
        if outcome is None:  # an infrastructure-error may have none
            return grade
        outcomes.append(
            msgspec.structs.replace(
                outcome,
                id=check.id, title=check.title, kind=check.kind, visibility=check.visibility,
                points=score.points(check, outcome.status), max_points=float(check.points),
            )
        )  # fmt: skip
    points, maximum = score.standing(grade.status, outcomes, exam.points)
    return msgspec.structs.replace(grade, checks=tuple(outcomes), score=points, max_score=maximum)


def _standing(grade: model.Grade) -> tuple[object, ...]:
    return grade.score, grade.max_score, grade.status


def _lasting(grade: model.Grade) -> model.Grade:
    return msgspec.structs.replace(grade, seconds=0.0, environment={})


def _change(before: model.Grade, after: model.Grade, old: prints.Prints | None, new: prints.Prints) -> Change:
    was, now = ({check.id: check for check in grade.checks} for grade in (before, after))
    checks = [
        CheckChange(
            name,
            was[name].status if name in was else None,
            now[name].status if name in now else None,
            was[name].points if name in was else 0.0,
            now[name].points if name in now else 0.0,
            _fate(name, old, new),
        )
        for name in dict.fromkeys((*was, *now))
    ]
    return Change(
        after.student, before.score, after.score, before.max_score, after.max_score, before.status, after.status,
        tuple(one for one in checks if (one.before, one.points_before) != (one.after, one.points_after)),
    )  # fmt: skip


def _fate(name: str, old: prints.Prints | None, new: prints.Prints) -> str:
    """What has become of a check."""
    if old is None:
        return "not known"
    was, now = old.checks.get(name), new.checks.get(name)
    if was is None or now is None:
        return "new" if was is None else "removed"
    if was.asked != now.asked:
        return "changed"
    return "other points" if was.worth != now.worth else "as it was"


def _copy_aside(out: Path, students: list[str]) -> None:
    """Keeps the files that are about to be replaced."""
    place = new_place(out)
    for name in ("grades.csv", "report"):
        with contextlib.suppress(FileNotFoundError):
            copy = shutil.copytree if (out / name).is_dir() else shutil.copy2
            copy(out / name, place / name)
    (place / "results").mkdir()
    for student in students:
        name = f"{results.file_name(student)}.json"
        with contextlib.suppress(FileNotFoundError):
            shutil.copy2(out / "results" / name, place / "results" / name)


def proposed_in(out: Path, assignment: str) -> Journal:
    """The journal of what was graded for proposals of an output folder, in the instructor's cache; one in memory where
    there is none. What it holds of other plans or submissions is not looked at."""
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
    """Forgets what was proposed."""
    for end in ("", "-wal", "-shm"):
        with contextlib.suppress(FileNotFoundError, NotADirectoryError):
            os.unlink(f"{proposal_file(out)}{end}")


def proposal_file(out: Path) -> Path:
    """Where the proposal for an output folder lies."""
    name = hashlib.sha256(os.path.realpath(out).encode("utf-8", "surrogateescape")).hexdigest()
    return caches.folder("attngrade-regrade") / f"{name}.sqlite"
