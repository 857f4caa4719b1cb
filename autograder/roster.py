"""Who is in the course: a roster of any of the common kinds, and whose submission is whose.

Recognised are a plain table, Canvas's gradebook, Moodle's grading worksheet and list of participants, the rosters of
Gradescope, nbgrader and GitHub Classroom, and our own ``grades.csv``.
"""

from __future__ import annotations

import re
import unicodedata
from collections import Counter, defaultdict
from collections.abc import Callable, Iterable, Mapping
from pathlib import Path
from typing import NamedTuple

from autograder.sheet import Record, Sheet, SheetError, read_sheet

# What a column is, by its heading without case, spaces and marks.
COLUMNS = {
    "id": (
        *(
            "id",
            "studentid",
            "sid",
            "sisuserid",
            "sisid",
            "userid",
            "idnumber",
            "identifier",
            "studentnumber",
        ),
        *("integrationid", "matriculationnumber", "orgdefinedid"),
    ),
    "email": ("email", "emailaddress", "mail", "studentemail"),
    "login": ("login", "loginid", "sisloginid", "username", "netid", "user", "githubusername"),
    "name": ("name", "fullname", "studentname", "firstnamelastname"),
    "first": ("firstname", "givenname", "first", "forename"),
    "last": ("lastname", "surname", "familyname", "last"),
    "role": ("role", "roles"),
}
ROLE_OF = {name: role for role, names in COLUMNS.items() for name in names}
STAFF = frozenset(
    {"instructor", "ta", "teachingassistant", "reader", "teacher", "noneditingteacher", "manager", "grader"}
)
PARTICIPANT = re.compile(r"Participant (\d+)")  # Moodle's Identifier; files handed in carry the number alone
MOODLE_FOLDER = re.compile(r"(?P<name>.+)_(?P<id>\d+)_assignsubmission_[a-z]+_?", re.DOTALL)
CANVAS_FILE = re.compile(r"(?P<name>.+)_(?P<id>\d+)", re.DOTALL)
NAME = " name"  # in place of a column, of those who are known by their names; no heading begins so
TEST_STUDENT = "Student, Test"  # whom Canvas makes for teachers to see a course through


class Person(NamedTuple):
    """Somebody on a roster: ``keys`` tell exactly who it is, by column; ``row`` counts the rows of the sheet."""

    row: int
    keys: dict[str, str]
    email: str
    login: str
    name: str
    first: str = ""
    last: str = ""

    @property
    def shown(self) -> str:
        """How to speak of them to people."""
        return self.name or next(iter(self.keys.values()))


class Roster(NamedTuple):
    """A sheet with the people in it."""

    sheet: Sheet
    people: tuple[Person, ...]


class Matching(NamedTuple):
    """Whose submission is whose. ``ambiguous`` are students of whom it can't be told, with those it may be;
    ``absent`` those of whom nothing came (nobody who may be meant by an ambiguous one is among them)."""

    found: dict[str, Person]
    unmatched: tuple[str, ...]
    ambiguous: dict[str, tuple[Person, ...]]
    absent: tuple[Person, ...]
    column: str  # that most students are called by


def read_roster(path: Path) -> Roster:
    """The roster in a CSV file. Raises SheetError where no column says who a row is about."""
    sheet = read_sheet(path)
    roles = _roles(sheet.header)
    if not {"id", "email", "login", "name", "last"} & set(roles.values()):
        found = ", ".join(repr(heading.strip()) for heading in sheet.header[:20])
        raise SheetError(
            f"{path}: no column says who is who; found {found}; expected one of 'Student ID', 'SID', 'Email', "
            "'Login', 'Username', 'Name' or the like"
        )
    people = [_person(number, row, sheet.header, roles) for number, row in enumerate(sheet.rows)]
    found_people = tuple(person for person in people if person)
    if not found_people:
        raise SheetError(f"{path} names no students; only its header was found")
    return Roster(sheet, found_people)


def _plain(heading: str) -> str:
    return "".join(c for c in heading.casefold() if c.isalnum())


def _roles(header: tuple[str, ...]) -> dict[int, str]:
    """What the columns are. A column "Student" has names where another has ids, as in Canvas, else ids."""
    roles = {
        number: ROLE_OF[plain]
        for number, heading in enumerate(header)
        if (plain := _plain(heading)) in ROLE_OF
    }
    others = set(roles.values()) & {"id", "login"}
    for number, heading in enumerate(header):
        if _plain(heading) == "student":
            roles[number] = "name" if others else "id"
    return roles


def _person(number: int, row: Record, header: tuple[str, ...], roles: dict[int, str]) -> Person | None:
    """Whom a row is about; None for staff, and for rows about the table itself."""
    cells = [(header[at].strip(), role, _said(row[at].value)) for at, role in roles.items() if at < len(row)]
    keys = {heading: value for heading, role, value in cells if value and role in ("id", "email", "login")}

    def first_of(role: str) -> str:
        return next((value for _, is_role, value in cells if is_role == role and value), "")

    names = first_of("first"), first_of("last")
    name = first_of("name") or " ".join(filter(None, names))
    if not (keys or name) or (not keys and name == "Points Possible") or name == TEST_STUDENT:
        return None
    if _is_staff(first_of("role")):
        return None
    return Person(number, keys, first_of("email"), first_of("login"), name, *names)


def _said(value: str) -> str:
    """A cell's value, without the mark that keeps a spreadsheet from running it."""
    value = value.strip()
    return value[1:] if re.match(r"'[=+@-]", value) else value


def _is_staff(role: str) -> bool:
    words = [_plain(word) for word in role.split(",") if word.strip()]
    return bool(words) and all(word in STAFF for word in words)


# Ways to call somebody, the surest first: what a student may be called, and what a person is called. Only where one
# tells nobody is the next one asked.
Names = Iterable[tuple[str, str]]  # a column, and a name in it


def _exactly(person: Person) -> Names:
    yield from person.keys.items()
    for column, value in person.keys.items():
        if number := PARTICIPANT.fullmatch(value):
            yield column, number[1]


def _downloaded(person: Person) -> Names:
    """A name and an id, as Canvas and Moodle name the files of a download."""
    for column, value in _exactly(person):
        for name in _spellings(person):
            yield column, f"{name}\n{value}"


def _without_case(person: Person) -> Names:
    for column, value in person.keys.items():
        yield column, _folded(value)
        if "@" in value:
            yield column, _folded(value.rpartition("@")[0])


def _logged_in(person: Person) -> Names:
    """Names without an ``@``: an address is never taken for one with the same beginning elsewhere."""
    yield from ((column, _folded(value)) for column, value in person.keys.items() if "@" not in value)


def _by_name(person: Person) -> Names:
    yield from ((NAME, spelling) for spelling in _spellings(person))


def _spellings(person: Person) -> set[str]:
    """A name in letters alone: as it stands (Canvas's lastfirst of "Last, First"), and in both orders."""
    last, comma, first = person.name.partition(",")
    orders = [
        person.name,
        person.last + person.first,
        person.first + person.last,
        first + last if comma else "",
    ]
    return {letters for order in orders if (letters := _letters(order))}


def _file_name(student: str) -> str:
    match = MOODLE_FOLDER.fullmatch(student) or CANVAS_FILE.fullmatch(student)
    return f"{_letters(match['name'])}\n{match['id']}" if match else ""


def _local(student: str) -> str:
    return _folded(student.strip().rpartition("@")[0])


def _folded(text: str) -> str:
    return unicodedata.normalize("NFKC", unicodedata.normalize("NFKC", text).casefold())


def _letters(text: str) -> str:
    return "".join(c for c in _folded(text) if c.isalnum())


WAYS: tuple[tuple[Callable[[str], str], Callable[[Person], Names]], ...] = (
    (lambda student: unicodedata.normalize("NFC", student.strip()), _exactly),
    (_file_name, _downloaded),
    (lambda student: _folded(student.strip()), _without_case),
    (_local, _logged_in),
    (_letters, _by_name),
)


def match(students: Iterable[str], roster: Roster) -> Matching:
    """Finds each student on the roster: exactly, else without regard to case, else by name. Never guesses: who may
    be several people, or is one whom another student is as well, is ambiguous."""
    indexes = [_index(roster.people, called) for _, called in WAYS]
    hits: dict[str, tuple[int, dict[int, str]]] = {}  # way, and the column by which a person was found
    for student in students:
        hits[student] = _look_up(student, indexes)
    claims: defaultdict[int, list[tuple[int, str]]] = defaultdict(list)  # of each person: way and student
    for student, (way, people) in hits.items():
        for row in people:
            claims[row].append((way, student))
    by_row = {person.row: person for person in roster.people}
    found, ambiguous = {}, {}
    for student, (way, people) in hits.items():
        several = len(people) > 1
        if people and (
            several or any(other <= way and who != student for other, who in claims[next(iter(people))])
        ):
            ambiguous[student] = tuple(by_row[row] for row in sorted(people))
        elif people:
            found[student] = by_row[next(iter(people))]
    whole = [people for way, people in map(hits.__getitem__, found) if WAYS[way][1] in (_exactly, _by_name)]
    columns = Counter(column for people in whole for column in people.values())
    return Matching(
        found,
        tuple(student for student, (_, people) in hits.items() if not people),
        ambiguous,
        tuple(person for person in roster.people if person.row not in claims),
        columns.most_common(1)[0][0] if columns else "",
    )


def _index(people: Iterable[Person], called: Callable[[Person], Names]) -> dict[str, dict[int, str]]:
    index: defaultdict[str, dict[int, str]] = defaultdict(dict)
    for person in people:
        for column, name in called(person):
            index[unicodedata.normalize("NFC", name)].setdefault(person.row, column)
    return index


def _look_up(student: str, indexes: list[dict[str, dict[int, str]]]) -> tuple[int, dict[int, str]]:
    for way, (spelled, _) in enumerate(WAYS):
        if people := indexes[way].get(spelled(student)) if spelled(student) else None:
            return way, people
    return len(WAYS), {}


def student_ids(matching: Matching, taken: Iterable[str]) -> Mapping[str, Person]:
    """An id for everybody of whom nothing came: what the others are called by, else the first there is, and none
    that is taken."""
    used = set(taken)
    ids: dict[str, Person] = {}
    for person in matching.absent:
        usual = _letters(person.name) if matching.column == NAME else person.keys.get(matching.column, "")
        keys = [
            usual,
            *person.keys.values(),
            person.name,
            f"row {person.row + 2}",
        ]
        spelled = next(key for key in keys if key and key not in used)
        used.add(spelled)
        ids[spelled] = person
    return ids
