"""What a journal keeps of people: who the students are, their files, what was decided, and the rules for marks."""

from collections.abc import Collection, Iterable, Iterator, Mapping
from functools import cached_property

import msgspec

from autograder import model
from autograder.course import marks
from autograder.course.deadlines import Deadlines
from autograder.course.decisions import active
from autograder.course.lookup import Students
from autograder.course.marks import Rules
from autograder.model.text import printable
from autograder.runs.journal import Journal

RULES, DEADLINES, VIEW = "mark rules", "deadlines", "student view"  # the keys of the notes
IDENTIFY = """INSERT INTO fact (student, identity) VALUES (?, ?)
    ON CONFLICT (student) DO UPDATE SET identity = excluded.identity"""
HOLD = "INSERT INTO fact (student, work) VALUES (?, ?) ON CONFLICT (student) DO UPDATE SET work = excluded.work"


def identify(journal: Journal, students: Iterable[str], identities: Mapping[str, model.Identity]) -> None:
    """Store who is in the run, and who they are; ``identities`` replace what was stored of these students."""
    with journal.transaction():
        journal.database.executemany(
            "INSERT OR IGNORE INTO fact (student) VALUES (?)", [(student,) for student in students]
        )
        rows = [(student, msgspec.json.encode(identity)) for student, identity in identities.items()]
        journal.database.executemany(IDENTIFY, rows)


def note_work(journal: Journal, work: model.Submission, token: str = "") -> None:
    """Store the file that a student's grade is about. A time that only an earlier call's roster had stays.

    ``token``: the state of its token.
    """
    name = printable(work.path or work.filename)  # a file's name need not be UTF-8
    when = work.handed_in
    if not when.at and (known := _graded_file(journal, work.student)) and known.sha256 == work.sha256:
        when = msgspec.structs.replace(when, at=known.handed_in.at)
    journal.query(HOLD, work.student, msgspec.json.encode(model.GradedFile(name, work.sha256, when, token)))


def _graded_file(journal: Journal, student: str) -> model.GradedFile | None:
    """Return the file that is stored for a student, or None."""
    rows = journal.query("SELECT work FROM fact WHERE student = ?", student)
    with journal.errors():
        return msgspec.json.decode(rows[0][0], type=model.GradedFile | None) if rows else None


def student_view(journal: Journal) -> model.StudentView:
    """Return what the students of a run may see. Raises JournalError."""
    noted = journal.noted(VIEW)
    with journal.errors():
        return msgspec.json.decode(noted, type=model.StudentView) if noted else model.StudentView()


def decide(journal: Journal, decisions: Iterable[model.Decision]) -> None:
    """Add decisions, all or none."""
    with journal.transaction():
        for one in decisions:
            data = msgspec.json.encode(one)
            journal.query("INSERT INTO decision (student, decision) VALUES (?, ?)", one.student, data)


def log(journal: Journal) -> list[model.Decision]:
    """Return all decisions in order, those that were undone and their ``undo`` too. Raises JournalError."""
    with journal.errors():
        rows = journal.query("SELECT student, decision FROM decision ORDER BY number")
        found = [(student, msgspec.json.decode(data, type=model.Decision)) for student, data in rows]
        if other := next((one for student, one in found if one.student != student), None):
            raise msgspec.ValidationError(f"the decision about {other.student!r} stands in another student's row")
        return [one for _, one in found]


class Marks:
    """Final grades by what a journal holds. It reads the journal once, so make a new one after a change.

    ``proposed`` decisions are taken for made: to see what they would change.
    """

    def __init__(self, journal: Journal, proposed: Iterable[model.Decision] = ()) -> None:
        self.journal, self.proposed = journal, tuple(proposed)

    @cached_property
    def rules(self) -> Rules:
        """The rules of the run."""
        noted = self.journal.noted(RULES)
        with self.journal.errors():
            return msgspec.json.decode(noted, type=Rules) if noted else Rules()

    @cached_property
    def deadlines(self) -> Deadlines:
        """The deadlines of the run, by the names that its file has."""
        noted = self.journal.noted(DEADLINES)
        with self.journal.errors():
            return msgspec.json.decode(noted, type=Deadlines) if noted else Deadlines()

    @cached_property
    def facts(self) -> dict[str, model.Facts]:
        """What is known of each student. During a run, a work may be graded after this was read."""
        rows = self.journal.query("SELECT student, identity, work FROM fact ORDER BY student")
        return {row[0]: self._facts(*row[1:]) for row in rows}

    @cached_property
    def students(self) -> Students:
        """The students with a grade, or about to get one, to find by name."""
        graded = [student for (student,) in self.journal.query("SELECT student FROM grade ORDER BY student")]
        known = {student: self.facts.get(student, marks.NOTHING_KNOWN).identity for student in graded}
        return Students(known | {student: facts.identity for student, facts in self.facts.items()})

    @cached_property
    def extensions(self) -> dict[str, tuple[str, ...]]:
        """The deadlines of each student."""
        return self.students.extensions(self.deadlines)

    @cached_property
    def decisions(self) -> tuple[model.Decision, ...]:
        """The decisions that count."""
        return active((*log(self.journal), *self.proposed))

    @cached_property
    def concerned(self) -> frozenset[str]:
        """The students with decisions of their own; ``EVERYBODY`` among them if there are decisions about all."""
        return frozenset(one.student for one in self.decisions)

    def of(self, student: str) -> tuple[model.Decision, ...]:
        """Return the decisions that count for a student, the oldest first."""
        if not self.concerned & {student, model.EVERYBODY}:
            return ()
        return tuple(one for one in self.decisions if one.student in (student, model.EVERYBODY))

    def composed(self, grade: model.Grade) -> model.Grade:
        """Return a grade with its final score. The file is read anew, as it may just have been graded."""
        rows = self.journal.query("SELECT identity, work FROM fact WHERE student = ?", grade.student)
        facts = self._facts(*rows[0]) if rows else marks.NOTHING_KNOWN
        extensions = self.extensions.get(grade.student, (self.deadlines.default,) if self.deadlines.default else ())
        return marks.composed(grade, facts, self.of(grade.student), self.rules, extensions)

    def _facts(self, identity: bytes, work: bytes) -> model.Facts:
        with self.journal.errors():
            return model.Facts(
                msgspec.json.decode(identity, type=model.Identity),
                msgspec.json.decode(work, type=model.GradedFile | None),
            )


class FinalGrades(Collection[model.Grade]):
    """The final grades of a run, by student. Each iteration composes them anew, one at a time."""

    def __init__(self, journal: Journal) -> None:
        self.grades, self.marks = journal.grades(), Marks(journal)

    def __iter__(self) -> Iterator[model.Grade]:
        return map(self.marks.composed, self.grades)

    def __len__(self) -> int:
        return len(self.grades)

    def __contains__(self, grade: object) -> bool:
        return any(each == grade for each in self)
