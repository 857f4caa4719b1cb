"""Match submissions with the people on a roster."""

from __future__ import annotations

import os
import re
import unicodedata
from collections import Counter, defaultdict
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping
from typing import NamedTuple

from autograder.intake.roster.people import Person, Roster

PARTICIPANT = re.compile(r"Participant (\d+)")  # Moodle's Identifier; its downloads hold only the number
MOODLE_FOLDER = re.compile(r"(?P<name>.+)_(?P<id>\d+)_assignsubmission_[a-z]+_?", re.DOTALL)
CANVAS_FILE = re.compile(r"(?P<name>.+)_(?P<id>\d+)", re.DOTALL)
NUMBERED = ("id", "identifier")
NAME = " name"  # takes the place of a column for matches by name; no heading begins with a space


class Matching(NamedTuple):
    """Which submission belongs to whom. ``ambiguous``: students with several possible people.

    ``absent``: people without a submission; nobody who could be an ambiguous student is among them.
    """

    found: dict[str, Person]
    unmatched: tuple[str, ...]
    ambiguous: dict[str, tuple[Person, ...]]
    absent: tuple[Person, ...]
    column: str  # whose values most students are named by


Names = Iterable[tuple[str, str]]  # a column, and a name in it


def _exactly(person: Person) -> Names:
    yield from person.keys.items()
    for column, value in person.keys.items():
        if number := PARTICIPANT.fullmatch(value):
            yield column, number[1]


def _numbered(person: Person) -> Names:
    """Yield the numbers that Canvas ("ID") and Moodle ("Identifier") know a person by."""
    for column, value in person.keys.items():
        if column.casefold() in NUMBERED:
            yield column, found[1] if (found := PARTICIPANT.fullmatch(value)) else value


def _downloaded(person: Person) -> Names:
    """Yield a name with an id, as in the file names of Canvas and Moodle downloads."""
    for column, value in _exactly(person):
        for name in _spellings(person):
            yield column, f"{name}\n{value}"


def _without_case(person: Person) -> Names:
    for column, value in person.keys.items():
        yield column, _folded(value)
        if "@" in value:
            yield column, _folded(value.rpartition("@")[0])


def _logged_in(person: Person) -> Names:
    """Yield keys without an ``@``, so that no address matches one with the same beginning elsewhere."""
    yield from ((column, _folded(value)) for column, value in person.keys.items() if "@" not in value)


def _by_name(person: Person) -> Names:
    yield from ((NAME, spelling) for spelling in _spellings(person))


def _spellings(person: Person) -> set[str]:
    """Return a name in letters only: as it is (Canvas's lastfirst of "Last, First"), and in both orders."""
    last, comma, first = person.name.partition(",")
    orders = [person.name, person.last + person.first, person.first + person.last, first + last if comma else ""]
    return {letters for order in orders if (letters := _letters(order))}


def _file_name(student: str) -> str:
    match = MOODLE_FOLDER.fullmatch(student) or CANVAS_FILE.fullmatch(student)
    return f"{_letters(match['name'])}\n{match['id']}" if match else ""


def _local(student: str) -> str:
    return _folded(student.strip().rpartition("@")[0])


def _repositories(student: str, shared: str) -> Iterator[str]:
    """Yield possible logins in a GitHub Classroom repository's name, "assignment-login".

    A login follows a hyphen of the prefix that all names share. Logins may have hyphens too.
    """
    for hyphen in re.finditer("-", shared):
        yield _folded(student[hyphen.end() :])


def _folded(text: str) -> str:
    return unicodedata.normalize("NFKC", unicodedata.normalize("NFKC", text).casefold())


def _letters(text: str) -> str:
    return "".join(c for c in _folded(text) if c.isalnum())


class Way(NamedTuple):
    """A way to match: how a student may be spelled, given the prefix of all students, and what people are called."""

    spelled: Callable[[str, str], Iterable[str]]
    called: Callable[[Person], Names]


# From certain to vague. A way is tried only if the ones before it find nobody.
WAYS = (
    Way(lambda student, _: [unicodedata.normalize("NFC", student.strip())], _exactly),
    Way(lambda student, _: [_file_name(student)], _downloaded),
    Way(lambda student, _: [], _numbered),
    Way(lambda student, _: [_folded(student.strip())], _without_case),
    Way(lambda student, _: [_local(student)], _logged_in),
    Way(lambda student, shared: _repositories(student, shared), _logged_in),
    Way(lambda student, _: [_letters(student)], _by_name),
)

Hit = tuple[int, dict[int, str]]  # the number of a way, and the people that it finds: row and column


def match(students: Iterable[str], roster: Roster, numbers: Mapping[str, str] | None = None) -> Matching:
    """Match each student with the roster: exactly, else by number, else without regard to case, else by name.

    ``numbers`` are those that a learning management system gave to students. A download may spell their names in other
    letters than the roster.
    It never guesses. A student who fits several people, or a person whom another student fits too, is ambiguous.
    """
    hits = _hits(list(students), roster, numbers or {})
    claims: defaultdict[int, list[tuple[int, str]]] = defaultdict(list)  # by person: way and student
    for student, (way, people) in hits.items():
        for row in people:
            claims[row].append((way, student))

    def shared(student: str) -> bool:
        way, people = hits[student]
        return any(other <= way and rival != student for row in people for other, rival in claims[row])

    by_row = {person.row: person for person in roster.people}
    people_of = {student: tuple(by_row[row] for row in sorted(people)) for student, (_, people) in hits.items()}
    ambiguous = {name: people for name, people in people_of.items() if len(people) > 1 or (people and shared(name))}
    found = {name: people[0] for name, people in people_of.items() if people and name not in ambiguous}
    return Matching(
        found,
        tuple(student for student, people in people_of.items() if not people),
        ambiguous,
        tuple(person for person in roster.people if person.row not in claims),
        _usual([hits[student] for student in found]),
    )


class PeopleFinder:
    """Finds people by a name, an id or an address, in the ways of ``match``."""

    def __init__(self, people: Collection[Person]) -> None:
        self.people = {person.row: person for person in people}
        self.indexes = [_index(people, way.called) for way in WAYS]

    def find(self, text: str) -> list[Person]:
        """Return everybody who may be meant; it never guesses."""
        last, comma, first = text.partition(",")
        spellings = (text, f"{first} {last}") if comma else (text,)
        _, rows = min((_look_up(one, "", "", self.indexes) for one in spellings), key=lambda hit: hit[0])
        return [self.people[row] for row in sorted(rows)]


def _hits(students: list[str], roster: Roster, numbers: Mapping[str, str]) -> dict[str, Hit]:
    indexes = [_index(roster.people, way.called) for way in WAYS]
    shared = os.path.commonprefix(students) if len(students) > 1 else ""  # noqa: RUF071 (characters are meant)
    return {student: _look_up(student, numbers.get(student, ""), shared, indexes) for student in students}


def _index(people: Iterable[Person], called: Callable[[Person], Names]) -> dict[str, dict[int, str]]:
    index: defaultdict[str, dict[int, str]] = defaultdict(dict)
    for person in people:
        for column, name in called(person):
            index[unicodedata.normalize("NFC", name)].setdefault(person.row, column)
    return index


def _look_up(student: str, number: str, shared: str, indexes: list[dict[str, dict[int, str]]]) -> Hit:
    for place, way in enumerate(WAYS):
        people: dict[int, str] = {}
        for spelling in [number] if way.called is _numbered else way.spelled(student, shared):
            people |= indexes[place].get(spelling, {}) if spelling else {}
        if people:
            return place, people
    return len(WAYS), {}


def _usual(hits: Iterable[Hit]) -> str:
    """Return the column whose exact values name most students, or NAME."""
    whole = [people for way, people in hits if WAYS[way].called in (_exactly, _by_name)]
    columns = Counter(column for people in whole for column in people.values())
    return columns.most_common(1)[0][0] if columns else ""


def student_ids(matching: Matching, taken: Iterable[str]) -> Mapping[str, Person]:
    """Return a unique id for each person without a submission.

    It comes from the column that names most students, or else from the first column with a value. ``taken`` ids are in
    use.
    """
    used = set(taken)
    ids: dict[str, Person] = {}
    for person in matching.absent:
        usual = _letters(person.name) if matching.column == NAME else person.keys.get(matching.column, "")
        keys = [usual, *person.keys.values(), person.name, f"row {person.row + 2}"]
        spelled = next(key for key in keys if key and key not in used)
        used.add(spelled)
        ids[spelled] = person
    return ids
