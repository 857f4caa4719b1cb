"""One run over a class: who is graded, and who gets a grade that is known already."""

import contextlib
from collections import deque
from collections.abc import Callable, Iterable, Iterator

import msgspec

from autograder import model
from autograder.assignments.own_tokens import state_of
from autograder.grading import fingerprints
from autograder.intake import read
from autograder.runs import anonymity, deduplication, people, pool, student_code
from autograder.runs.deduplication import Origin
from autograder.runs.run_folder import RunFolder
from autograder.sandbox.limits import STALL_SECONDS

Progress = Callable[[model.Grade, Origin], None]


def suite_key(run: str) -> str:
    """Return the journal's key for the fingerprints of a run's suite."""
    return f"exam {run}"


class GradingRun:
    """Grades entries into a folder. Memory grows only with the submissions in flight and those waiting for them."""

    def __init__(
        self, folder: RunFolder, plan: pool.RunPlan, progress: Progress, *, anew: bool = False, token_key: bytes = b""
    ) -> None:
        """``progress`` hears of every grade after it is on disk. Without a ``token_key``, no signature is looked at.

        ``anew`` grades the entries again whatever the journal holds, and leaves everybody else as they are.
        """
        self.folder, self.journal = folder, folder.journal
        self.plan, self.progress, self.anew = plan, progress, anew
        self.token_key = token_key
        self.run = fingerprints.of_run(plan)
        self.is_anonymous = bool(self.journal.noted(anonymity.FACT))
        limits = plan.limits
        self.shortest_limit = min(limits.load_seconds, limits.cell_seconds, limits.case_seconds, STALL_SECONDS)
        self.in_flight: dict[str, model.Submission] = {}  # by student, without the source text
        self.waiting: dict[str, list[model.Entry]] = {}  # by the work in flight that they share
        self.not_shared: set[str] = set()  # works whose grade depends on the moment
        self.kept: list[str] = []  # who could not be graded anew and keeps an earlier grade
        self.again: deque[model.Entry] = deque()  # those who waited for a grade that is not shared

    def grade(self, entries: Iterable[model.Entry], jobs: int, grade_all: pool.GradeAll | None = None) -> list[str]:
        """Grade what the journal does not hold yet. Return the students whose work has changed since it was read.

        Each result is on disk before the next one is reported. ``grade_all`` takes the place of this machine's pool.
        """
        entries = list(entries)
        todo: Iterable[model.Entry] = entries
        suite_noted = False
        while todo:
            with contextlib.closing((grade_all or pool.grade_all)(self.plan, self._fresh(todo), jobs)) as graded:
                for submission, grade in graded:
                    self._keep(submission, grade)
                    if not suite_noted:  # the suite is ready by now
                        note_suite(self.folder, self.run, suite_fingerprints(self.plan))
                        suite_noted = True
            todo = tuple(self.again)  # filled if the last grade in flight is not shared
            self.again.clear()
        if not self.anew:
            self.folder.part_with(self.journal.others({entry.student for entry in entries}))
        return [entry.student for entry in entries if self._changed(entry)]

    def _fresh(self, entries: Iterable[model.Entry]) -> Iterator[model.Submission]:
        """Yield the submissions that must be graded. Those with a known grade are saved at once."""
        source = iter(entries)
        while entry := self.again.popleft() if self.again else next(source, None):
            submission = self._read(entry)
            if submission is None or self._known(submission):
                continue
            work = fingerprints.of_work(submission)
            if work in self.waiting:
                self.waiting[work].append(entry)
                continue
            if work and work not in self.not_shared:
                self.waiting[work] = []
            self.in_flight[entry.student] = msgspec.structs.replace(submission, cells=())
            yield deduplication.anonymous(submission, self.folder.assignment)

    def _keep(self, done: model.Submission, graded: model.Grade) -> None:
        """Save the new grade of a submission, and give it to those who wait with the same work."""
        submission = self.in_flight.pop(done.student)
        self._note(msgspec.structs.replace(submission, cells=done.cells))
        grade = deduplication.addressed(graded, submission)
        work = fingerprints.of_work(submission)
        shared = work if work and deduplication.may_be_shared(graded, self.shortest_limit) else ""
        self._save(grade, submission, "graded", shared, graded.message)
        waiting = self.waiting.pop(work, [])
        if not shared:
            self.not_shared.add(work)
            self.again.extend(waiting)
            return
        for entry in waiting:
            copy = self._read(entry)
            if copy is not None and not self._known(copy):  # its work has changed meanwhile
                self.again.append(entry)

    def _save(
        self, grade: model.Grade, submission: model.Submission, origin: Origin, content: str = "", remarks: str = ""
    ) -> None:
        if self.anew and grade.status == "infrastructure-error" and self.journal.work(grade.student):
            self.kept.append(grade.student)
        else:
            self.folder.save(grade, fingerprints.of_submission(submission), self.run, content, remarks)
        self.progress(grade, origin)

    def _read(self, entry: model.Entry) -> model.Submission | None:
        """Return what is graded. A fault of the grader itself becomes an infrastructure error and None."""
        try:
            return read(entry, self.folder.assignment)
        except Exception as error:
            nothing = model.Submission(entry.student, "unreadable")
            plan = self.plan
            lost = pool.infrastructure_error(nothing, plan.assignment, error, plan.weights.total)
            self._save(lost, nothing, "graded")
            return None

    def _known(self, submission: model.Submission) -> bool:
        """Take the grade from the journal if it is there: the student's own, or another's for the same work."""
        if self.anew:
            return False
        content = fingerprints.of_work(submission)
        grade = self.journal.known(submission.student, fingerprints.of_submission(submission), self.run)
        if grade is not None:
            self._note(submission)
            self.folder.write_result(grade)
            self.progress(grade, "before")
            return True
        twin = self.journal.twin(content, self.run)
        if twin is None:
            return False
        self._note(submission)
        grade, remarks = twin
        grade = msgspec.structs.replace(grade, message=remarks, seconds=0.0)  # copying takes no time
        self._save(deduplication.addressed(grade, submission), submission, "copy", content, remarks)
        return True

    def _note(self, submission: model.Submission) -> None:
        """Store which file a grade is about, and its code unless graders may not see whose it is."""
        people.note_work(self.journal, submission, self._token(submission))
        if not self.is_anonymous:
            student_code.keep(self.journal, submission)

    def _token(self, submission: model.Submission) -> str:
        """Return the state of a submission's token; empty if its assignment has none. It changes no mark.

        Who handed in an anonymous submission is not known here.
        """
        state = state_of(submission, self.plan.assignment, [submission.student], self.token_key)
        return "" if self.is_anonymous and state in ("ok", "foreign") else state

    def _changed(self, entry: model.Entry) -> bool:
        """Return whether a submission differs from the one that was graded.

        It is read again: a file's time and size can stay the same although its content changes.
        """
        with contextlib.suppress(Exception):  # a fault of the grader, which has a row that says so
            submission = read(entry, self.folder.assignment)
            return fingerprints.of_submission(submission) != self.journal.work(entry.student)
        return False


def suite_fingerprints(plan: pool.RunPlan) -> fingerprints.Fingerprints:
    """Return the fingerprints of a plan's suite."""
    settings = (plan.assignment, plan.dtype, plan.causes, plan.unconfined, plan.device)
    return fingerprints.of_suite(pool.suite_of(plan), settings, plan.limits)


def note_suite(folder: RunFolder, run: str, parts: fingerprints.Fingerprints) -> None:
    """Store a run's fingerprints in the journal, so that a regrade can compare its own with them."""
    folder.journal.note(suite_key(run), msgspec.json.encode(parts).decode())
