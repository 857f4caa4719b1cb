"""A run's students compared with a roster, for ``grade`` and ``export``."""

from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path

import msgspec

from autograder import model
from autograder.intake.roster import Person, match, read_roster, student_ids
from autograder.intake.roster.moodle_dates import HANDED_IN, utc
from autograder.report.summary import some

NOTE = "handed nothing in"
UNCLEAR = "not found on the roster, or fit several people there; grade without --anonymous to see who"


class RosterComparison:
    """Who of a roster has a submission. Without a roster there is nothing to report.

    ``absent`` holds an entry for each person without a submission, in the order of ``matching.absent``.
    """

    def __init__(self, path: Path | None, students: Sequence[str], numbers: Mapping[str, str] | None = None) -> None:
        """Read and compare. For ``numbers`` see ``roster.match``. Raises ``SheetError`` if the roster can't be read."""
        self.roster = read_roster(path) if path else None
        self.matching = match(students, self.roster, numbers) if self.roster else None
        absent = student_ids(self.matching, students) if self.matching else {}
        self.absent = tuple(model.Entry(student, (), NOTE) for student in absent)

    def identities(self, students: Sequence[str]) -> dict[str, model.Identity]:
        """Return who the students are by the roster; nothing without a roster, so that what is known stays."""
        if self.matching is None:
            return {}
        absent = zip((entry.student for entry in self.absent), self.matching.absent, strict=True)
        people = self.matching.found | dict(absent)
        return {student: _identity(people.get(student)) for student in students}

    @property
    def has_dates(self) -> bool:
        """Whether the roster is a worksheet of Moodle that says when each work was handed in."""
        return self.roster is not None and HANDED_IN in self.roster.sheet.header

    def dated(self, entries: Iterable[model.Entry], timezone: str) -> list[model.Entry]:
        """Return the entries with the times that the roster has, where the submissions themselves have none."""
        if self.roster is None or self.matching is None or not self.has_dates:
            return list(entries)
        rows = {student: self.roster.sheet.rows[person.row] for student, person in self.matching.found.items()}
        at = self.roster.sheet.header.index(HANDED_IN)
        times = {student: utc(row[at].value, timezone) for student, row in rows.items() if at < len(row)}
        return [_dated(entry, times.get(entry.student, "")) for entry in entries]

    @property
    def unclear(self) -> list[str]:
        """The students who are nobody on the roster, or may be several people."""
        return [*self.matching.unmatched, *self.matching.ambiguous] if self.matching else []

    def messages(self, anonymous: bool = False) -> list[str]:
        """Return who is missing, who is not on the roster, and who may be several people; ``anonymous``: how many."""
        if self.matching is None or self.roster is None:
            return []
        if anonymous:
            facts = (len(self.matching.absent), "on the roster handed nothing in"), (len(self.unclear), UNCLEAR)
            return [f"{count} {what}" for count, what in facts if count]
        messages = []
        if absent := [person.shown for person in self.matching.absent]:
            counts = f"{len(absent)} of {len(self.roster.people)} on the roster handed nothing in"
            messages.append(f"{counts}: {some(absent)}")
        if unmatched := self.matching.unmatched:
            messages.append(f"{len(unmatched)} are not on the roster: {some(unmatched)}")
        for student, people in self.matching.ambiguous.items():
            candidates = some([person.shown_with_id for person in people])
            messages.append(f"{student} may be {candidates}; nothing is guessed: rename the submission")
        return messages

    def summary(self) -> dict[str, object]:
        """Return the same for a program."""
        if self.matching is None:
            return {}
        return {
            "absent": [entry.student for entry in self.absent],
            "unmatched": list(self.matching.unmatched),
            "ambiguous": list(self.matching.ambiguous),
        }


def _dated(entry: model.Entry, at: str) -> model.Entry:
    if entry.handed_in.at or not at:
        return entry
    return msgspec.structs.replace(entry, handed_in=msgspec.structs.replace(entry.handed_in, at=at))


def _identity(person: Person | None) -> model.Identity:
    if person is None:
        return model.Identity()
    return model.Identity(person.name, person.email, person.section, person.sis_id)
