"""Checks what people decide against the grades of a run, before anything is written."""

import difflib
from collections.abc import Collection, Iterator
from pathlib import Path

from msgspec.structs import replace

from autograder import model
from autograder.course import decisions, marks
from autograder.course.decisions import DecisionError
from autograder.course.lookup import LookupFailed
from autograder.intake.roster.csv_file import SheetError
from autograder.model.numbers import short
from autograder.model.text import visible
from autograder.report.summary import some
from autograder.runs import history, people
from autograder.runs.journal import Journal

MOST_ERRORS = 10  # lines of a file that an error names

Effect = tuple[str, model.Grade, model.Grade]  # how a student is shown, and the grade before and after


class Desk:
    """Makes decisions with a reason, who and when. ``journal`` is only read."""

    def __init__(self, journal: Journal, reason: str, by: str) -> None:
        self.journal, self.reason, self.by = journal, reason, by
        self.marks = people.Marks(journal)

    def change(self, student: str, target: str, text: str) -> model.Decision:
        """Return the decision about one student. Raises DecisionError or LookupFailed."""
        return self._made(student, replace(decisions.change(text), target=target, reason=self.reason), [])

    def table(self, path: Path) -> list[model.Decision]:
        """Return the decisions in a CSV file. Raises SheetError, which names every wrong line."""
        made: list[model.Decision] = []
        wrong = []
        for line, student, decision in decisions.read_rows(path):
            try:
                made.append(self._made(student, decision, made))
            except (DecisionError, LookupFailed) as error:
                wrong.append(f"line {line}: {error}")
        if wrong:
            more = f"; and {len(wrong) - MOST_ERRORS} more" if len(wrong) > MOST_ERRORS else ""
            raise SheetError(f"{path}, {'; '.join(wrong[:MOST_ERRORS])}{more}; nothing is written")
        if not made:
            raise SheetError(f"{path} holds no decisions; only its header was found")
        return made

    def undo(self, student: str, target: str = "") -> model.Decision:
        """Return the decision that undoes a student's last one. Raises DecisionError if there is none."""
        found = self._row(student).student
        return self._undo(found, target, visible(found))

    def undo_accept(self, target: str) -> model.Decision:
        """Return the decision that undoes an ``accept``. Raises DecisionError if there is none."""
        return self._undo(model.EVERYBODY, target, f"everybody about {visible(target)}")

    def accept(self, target: str) -> model.Decision:
        """Return the decision that a check or a cause is right for everybody. Raises DecisionError if nobody has it."""
        known: dict[str, None] = {}
        for grade in self.journal.grades():
            found = (name for check in grade.checks for name in (check.id, check.diagnosis) if name)
            known |= dict.fromkeys(found)
        if target not in known:
            raise DecisionError(f"no result has the check or the cause {visible(target)}{_alike(target, known)}")
        return decisions.signed_off(model.Decision(model.EVERYBODY, "accept", target), self.reason, self.by)

    def effects(self, before: people.Marks, after: people.Marks, named: Collection[str]) -> Iterator[Effect]:
        """Yield whose final score changes, and all students who are ``named``."""
        for grade in self.journal.grades():
            was, now = before.composed(grade), after.composed(grade)
            if grade.student in named or was.final != now.final:
                yield self.marks.students.shown(grade.student), was, now

    def _made(self, student: str, decision: model.Decision, made: Collection[model.Decision]) -> model.Decision:
        """Return a decision with the student that is meant, who, when, and the work that it is about."""
        row = self._row(student)
        decision = replace(decision, student=row.student)
        self._check(row.grade, decision, made)
        work = self.marks.facts.get(row.student, marks.NOTHING_KNOWN).work
        signed = decisions.signed_off(decision, decision.reason, self.by)
        return replace(signed, sha256=None if work is None else work.sha256)

    def _undo(self, student: str, target: str, shown: str) -> model.Decision:
        if decisions.last(self.marks.decisions, student, target) is None:
            raise DecisionError(f"nothing was decided about {shown}")
        return decisions.signed_off(model.Decision(student, "undo", target), self.reason, self.by)

    def _row(self, text: str) -> history.Row:
        """Return the row of the student that is meant. Raises LookupFailed."""
        row = history.row(self.journal, self.marks.students.one(text))
        if row is None:
            raise LookupFailed(f"{visible(text)} has no grade yet")
        return row

    def _check(self, grade: model.Grade, decision: model.Decision, made: Collection[model.Decision] = ()) -> None:
        """Raise DecisionError for a decision that can't be meant. ``made`` will be written with it."""
        worth = marks.targets(grade)
        if decision.target and decision.kind in ("excuse", "extend"):
            raise DecisionError(f"{decision.kind} is about the whole work, not about {visible(decision.target)}")
        if decision.target and decision.target not in worth:
            alike = _alike(decision.target, worth)
            raise DecisionError(f"{visible(grade.student)} has no check or part {visible(decision.target)}{alike}")
        most = worth[decision.target] if decision.target else grade.max_score
        free = self.marks.rules.extra_credit and not decision.target
        if abs(decision.points) > most and not free:
            what = visible(decision.target) or grade.assignment
            raise DecisionError(f"{what} is worth {short(most)} points, not {short(abs(decision.points))}")
        if decision.kind == "exempt" and decision.target:
            self._check_exempt(grade, [*self.marks.of(grade.student), *made, decision])

    def _check_exempt(self, grade: model.Grade, made: Collection[model.Decision]) -> None:
        """Raise DecisionError if nothing would be left to score."""
        exempt = {one.target for one in made if one.kind == "exempt" and one.student == grade.student}
        counted = [check for check in grade.checks if check.status != "skipped"]
        if not any(check.max_points and not {check.id, check.part} & exempt for check in counted):
            raise DecisionError(f"that exempts {visible(grade.student)} from every check; use --excuse")


def _alike(text: str, known: Collection[str]) -> str:
    near = difflib.get_close_matches(text, known, 3, 0.5)
    if near:
        return f"; did you mean {' or '.join(map(visible, near))}?"
    return f"; there are {some(list(known))}" if known else ""
