"""Who is in the course: a roster of any common kind.

The kinds are a plain table, Canvas's gradebook, Moodle's grading worksheet and list of participants, the rosters of
Gradescope, nbgrader and GitHub Classroom, and our own ``grades.csv``.
"""

from __future__ import annotations

import re
from collections import Counter
from pathlib import Path
from typing import NamedTuple

from autograder.intake.roster.csv_file import Record, Sheet, SheetError, read_sheet

# The role of a column, by its heading without case, spaces and punctuation.
COLUMNS = {
    "id": "id studentid sid sisuserid sisid userid idnumber identifier studentnumber integrationid orgdefinedid",
    "email": "email emailaddress mail studentemail",
    "login": "login loginid sisloginid username netid user githubusername",
    "name": "name fullname studentname",
    "first": "firstname givenname first forename",
    "last": "lastname surname familyname last",
    "section": "section sections sectionname",
    "role": "role roles",
}
SIS = frozenset({"sisuserid", "sisid", "idnumber", "orgdefinedid"})  # ids that the student information system gives
ROLE_OF = {name: role for role, names in COLUMNS.items() for name in names.split()}
KEYS = ("id", "email", "login")  # the roles that identify people
STAFF = frozenset(
    {"instructor", "ta", "teachingassistant", "reader", "teacher", "noneditingteacher", "manager", "grader"}
)
LONGEST = 1000  # characters of a name or an id; the systems of universities allow 255
TEST_STUDENT = "Student, Test"  # Canvas's test student, with whom teachers view a course


class Person(NamedTuple):
    """Somebody on a roster. ``keys`` identify them, by column; ``row`` counts the rows of the sheet from 0."""

    row: int
    keys: dict[str, str]
    email: str
    login: str
    name: str
    first: str = ""
    last: str = ""
    section: str = ""
    sis_id: str = ""

    @property
    def shown(self) -> str:
        """Return the name to show to people."""
        return self.name or next(iter(self.keys.values()))

    @property
    def shown_with_id(self) -> str:
        """Return the same with an id, as others may have the name."""
        return f"{self.shown} ({next(iter(self.keys.values()), f'row {self.row + 2}')})"


class Roster(NamedTuple):
    """A sheet, and the people in it."""

    sheet: Sheet
    people: tuple[Person, ...]


def read_roster(path: Path) -> Roster:
    """Return the roster in a CSV file. Raises SheetError if no column identifies people."""
    sheet = read_sheet(path)
    roles = _roles(sheet.header)
    if not {"id", "email", "login", "name", "last"} & set(roles.values()):
        found = ", ".join(repr(heading.strip()) for heading in sheet.header[:20])
        raise SheetError(
            f"{path}: no column identifies the students; found {found}; expected one of 'Student ID', 'SID', 'Email', "
            "'Login', 'Username', 'Name' or the like"
        )
    _refuse_doubled(sheet, roles)
    people: dict[object, Person] = {}
    for number, row in enumerate(sheet.rows):
        if person := _person(number, row, sheet.header, roles):
            if (longest := max(map(len, (*person.keys.values(), person.name)))) > LONGEST:
                where = f"{path}, line {sheet.line(row)}"
                raise SheetError(f"{where}: a name or an id has {longest:,} characters; is a quote missing?")
            # somebody in two sections may have two rows
            people.setdefault((tuple(person.keys.items()), person.name), person)
    if not people:
        raise SheetError(f"{path} names no students; only its header was found")
    return Roster(sheet, tuple(people.values()))


def _refuse_doubled(sheet: Sheet, roles: dict[int, str]) -> None:
    """Raise SheetError if two columns that identify people have one heading: one could stand for anybody."""
    headings = Counter(sheet.header[at].strip() for at, role in roles.items() if role in KEYS)
    if doubled := [heading for heading, count in headings.items() if count > 1]:
        raise SheetError(f"{sheet.path}: {headings[doubled[0]]} columns are called {doubled[0]!r}; rename all but one")


def _plain(heading: str) -> str:
    return "".join(c for c in heading.casefold() if c.isalnum())


def _roles(header: tuple[str, ...]) -> dict[int, str]:
    """Return the roles of the columns.

    "Student" holds names if another column holds ids and none holds names, as in Canvas, else ids, as in ours.
    """
    roles = {number: ROLE_OF[plain] for number, heading in enumerate(header) if (plain := _plain(heading)) in ROLE_OF}
    found = set(roles.values())
    names = found & {"id", "login"} and "name" not in found
    for number, heading in enumerate(header):
        if _plain(heading) == "student":
            roles[number] = "name" if names else "id"
    return roles


def _person(number: int, row: Record, header: tuple[str, ...], roles: dict[int, str]) -> Person | None:
    """Return the person of a row; None for staff, and for rows about the table itself."""
    cells = [(header[at].strip(), role, _unguarded(row[at].value)) for at, role in roles.items() if at < len(row)]
    keys = {heading: value for heading, role, value in cells if value and role in KEYS}

    def first_of(role: str) -> str:
        return next((value for _, is_role, value in cells if is_role == role and value), "")

    names = first_of("first"), first_of("last")
    name = first_of("name") or " ".join(filter(None, names))
    if not (keys or name) or (not keys and name == "Points Possible") or name == TEST_STUDENT:
        return None
    if _is_staff(first_of("role")):
        return None
    sis_id = next((value for heading, _, value in cells if value and _plain(heading) in SIS), "")
    return Person(number, keys, first_of("email"), first_of("login"), name, *names, first_of("section"), sis_id)


def _unguarded(value: str) -> str:
    """Return a cell's value without the mark that keeps spreadsheets from running it."""
    value = value.strip()
    return value[1:] if re.match(r"'[=+@-]", value) else value


def _is_staff(role: str) -> bool:
    words = [_plain(word) for word in role.split(",") if word.strip()]
    return bool(words) and all(word in STAFF for word in words)
