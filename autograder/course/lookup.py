"""Who is meant by a name, an id or an e-mail address, among the students of a run."""

from __future__ import annotations

import difflib
from collections.abc import Iterable, Mapping
from functools import cached_property

from autograder.course.deadlines import Deadlines
from autograder.intake.roster import PeopleFinder, Person
from autograder.model import Grade, Identity
from autograder.model.text import spellings, visible

NAMED = 5  # candidates in an error
NEAR = 0.6  # how alike a candidate's spelling is, from 0 to 1


class LookupFailed(LookupError):
    """Nobody is meant, or several people may be. The text is for the person at the keyboard."""


class Students:
    """The students of a run, by id, with what the roster says of them."""

    def __init__(self, identities: Mapping[str, Identity]) -> None:
        self.identities = identities

    @classmethod
    def of(cls, grades: Iterable[Grade]) -> Students:
        """Return the students of results."""
        return cls({one.student: Identity(one.name, one.email, one.section, one.sis_id) for one in grades})

    @cached_property
    def _finder(self) -> PeopleFinder:
        people = []
        for row, (student, who) in enumerate(self.identities.items()):
            keys = {"student": student, "sis_id": who.sis_id, "email": who.email}
            given = {column: value for column, value in keys.items() if value}
            people.append(Person(row, given, who.email, "", who.name))
        return PeopleFinder(people)

    def matches(self, text: str) -> list[str]:
        """Return the students that may be meant; an id as it stands comes before everything else."""
        for name in spellings(text):
            if name in self.identities:
                return [name]
        return [person.keys["student"] for person in self._finder.find(text) if person.keys.get("student")]

    def one(self, text: str) -> str:
        """Return the student that is meant. Raises LookupFailed, which names candidates."""
        found = self.matches(text)
        if len(found) == 1:
            return found[0]
        if found:
            raise LookupFailed(f"{visible(text)} may be {self._listed(found)}; give the id")
        near = self._near(text)
        hint = f"; did you mean {self._listed(near)}?" if near else ""
        raise LookupFailed(f"there is no student {visible(text)}{hint}")

    def extensions(self, deadlines: Deadlines) -> dict[str, tuple[str, ...]]:
        """Return each student's deadlines (see ``lateness.due``): the default for all, then their own."""
        default = (deadlines.default,) if deadlines.default else ()
        found: dict[str, tuple[str, ...]] = dict.fromkeys(self.identities, default)
        for name, text in deadlines.own.items():
            if len(those := self.matches(name)) == 1:
                found[those[0]] = (*default, text)
        return found

    def unknown(self, deadlines: Deadlines) -> list[str]:
        """Return the names with a deadline of their own that are not exactly one student."""
        return [name for name in deadlines.own if len(self.matches(name)) != 1]

    def shown(self, student: str) -> str:
        """Return a student for people: the name with the id, or the id alone."""
        name = self.identities[student].name
        return f"{visible(name)} ({visible(student)})" if name and name != student else visible(student)

    def _listed(self, students: list[str]) -> str:
        more = f" and {len(students) - NAMED} more" if len(students) > NAMED else ""
        return ", ".join(map(self.shown, students[:NAMED])) + more

    def _near(self, text: str) -> list[str]:
        """Return students whose id, name or address holds all words of the text, or is spelled much like it."""
        wanted = text.casefold().replace(",", " ").split()
        spelled = {student: (student, who.name, who.email) for student, who in self.identities.items()}
        holding = [
            one for one, names in spelled.items() if wanted and all(w in "\n".join(names).casefold() for w in wanted)
        ]
        if holding:
            return holding
        by_name = {name: student for student, names in spelled.items() for name in names if name}
        alike = difflib.get_close_matches(text, by_name, n=NAMED, cutoff=NEAR)
        return list(dict.fromkeys(by_name[name] for name in alike))
