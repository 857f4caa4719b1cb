"""What ``grade`` and ``export`` say of a roster."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from pathlib import Path

from autograder import model
from autograder.roster import Matching, Roster, match, read_roster, student_ids

NAMED = 20  # names in a line
NOTE = "handed nothing in"


def names(of: Iterable[str]) -> str:
    """The first names of many, and how many more there are."""
    every = list(of)
    more = f" and {len(every) - NAMED} more" if len(every) > NAMED else ""
    return ", ".join(every[:NAMED]) + more


def lines(matching: Matching, roster: Roster) -> list[str]:
    """What a roster tells: who is missing, who is on none, who may be several."""
    told = []
    if matching.absent:
        told.append(
            f"{len(matching.absent)} of {len(roster.people)} on the roster handed nothing in: "
            f"{names(person.shown for person in matching.absent)}"
        )
    if matching.unmatched:
        told.append(f"{len(matching.unmatched)} are not on the roster: {names(matching.unmatched)}")
    for student, people in matching.ambiguous.items():
        may = names(person.told_apart for person in people)
        told.append(f"{student} may be {may}; nothing is guessed: rename the submission")
    return told


class Course:
    """The people of a course beside the submissions of a run; without a roster there is nothing to tell."""

    def __init__(self, path: Path | None, students: Sequence[str]) -> None:
        """Raises SheetError for a roster that can't be read."""
        self.roster = read_roster(path) if path else None
        self.matching = match(students, self.roster) if self.roster else None
        missing = student_ids(self.matching, students) if self.matching else {}
        self.absent = tuple(model.Entry(student, (), NOTE) for student in missing)

    def lines(self) -> list[str]:
        """What people are told at the end of a run."""
        return lines(self.matching, self.roster) if self.matching and self.roster else []

    def summary(self) -> dict[str, object]:
        """The same for a program."""
        if self.matching is None:
            return {}
        return {
            "absent": [entry.student for entry in self.absent],
            "unmatched": list(self.matching.unmatched),
            "ambiguous": list(self.matching.ambiguous),
        }
