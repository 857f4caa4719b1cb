"""Anonymous runs: random ids in place of students' names, and the key file that says who is who.

The key lies beside the output folder, so that graders can be given the folder alone. Students keep their ids in later
runs into the same folder.
"""

import csv
import io
import json
import os
import re
import secrets
from collections.abc import Iterable, Mapping
from pathlib import Path

import msgspec

from autograder import model
from autograder.course.deadlines import Deadlines
from autograder.course.lookup import Students
from autograder.intake.errors import Unreadable
from autograder.intake.files import read_regular
from autograder.runs.grades_csv import guarded
from autograder.runs.journal import Journal

HEADER = ("id", "student", "exact")
FACT = "anonymous"  # in the journal
LARGEST_KEY = 50_000_000  # bytes
ID = re.compile(r"anon-[0-9a-f]{8}")
MEANT = re.compile(r"[=+@＝＋－＠;\t\r\n-]")  # what a spreadsheet might run


class KeyFileError(Exception):
    """The key file can't be used, or a run and the call do not agree about anonymity."""


def key_file(out: Path) -> Path:
    """Return where the key of the run in ``out`` lies: beside the folder, not in it."""
    out = Path(os.path.abspath(out))
    return out.with_name(f"{out.name}.key.csv")


def lies_in(path: Path, out: Path) -> bool:
    """Whether a path is in the output folder, where graders see it."""
    return Path(os.path.realpath(path)).is_relative_to(os.path.realpath(out))


def read_key(path: Path) -> dict[str, str]:
    """Return students by their ids. Raises KeyFileError."""
    try:
        text = read_regular(str(path), LARGEST_KEY).decode("utf-8")
        header, *rows = csv.reader(io.StringIO(text, newline=""))
        key = {id: str(json.loads(exact)) if exact else student for id, student, exact in rows}
    except (Unreadable, UnicodeDecodeError, csv.Error, ValueError) as error:
        raise KeyFileError(f"{path} can't be read as a key file: {error}") from error
    if tuple(header) != HEADER or not all(map(ID.fullmatch, key)) or len(set(key.values())) != len(rows):
        raise KeyFileError(f"{path} is no key file of attngrade grade --anonymous, or has been changed")
    return key


def write_key(path: Path, key: Mapping[str, str]) -> None:
    """Write a key file that only its owner can read, whole or not at all. Raises OSError."""
    text = io.StringIO(newline="")
    table = csv.writer(text)
    table.writerow(HEADER)
    for id, student in sorted(key.items()):
        table.writerow((id, guarded(student), "" if guarded(student) == student else _exact(student)))
    part = path.with_name(path.name + ".part")
    part.unlink(missing_ok=True)
    descriptor = os.open(part, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
    with os.fdopen(descriptor, "wb") as file:
        file.write(text.getvalue().encode("utf-8"))
        file.flush()
        os.fsync(file.fileno())
    os.replace(part, path)


def _exact(student: str) -> str:
    """Return JSON of a student's id that no spreadsheet takes for a formula."""
    return MEANT.sub(lambda match: f"\\u{ord(match[0]):04x}", json.dumps(student))


def key_of(out: Path) -> dict[str, str]:
    """Return the key of earlier runs into ``out``; empty if there is none. Raises KeyFileError."""
    path = key_file(out)
    return read_key(path) if os.path.lexists(path) else {}


def with_new(key: Mapping[str, str], students: Iterable[str]) -> dict[str, str]:
    """Return a key with random ids for the students that it lacks."""
    made, known = dict(key), set(key.values())
    for student in students:
        if student not in known:
            while (id := f"anon-{secrets.token_hex(4)}") in made:
                pass
            made[id] = student
    return made


def renamed(entries: Iterable[model.Entry], key: Mapping[str, str]) -> list[model.Entry]:
    """Return the entries under the ids of a key, in the order of the ids. Entries that it lacks are left out."""
    ids = {student: id for id, student in key.items()}
    found = [_hidden(entry, ids[entry.student]) for entry in entries if entry.student in ids]
    return sorted(found, key=lambda entry: entry.student)


def _hidden(entry: model.Entry, id: str) -> model.Entry:
    """Return an entry under an id, without what says whose it is."""
    when = msgspec.structs.replace(entry.handed_in, lms_id="", lms_upload="")
    return msgspec.structs.replace(entry, student=id, note="", anonymous=True, handed_in=when)


def renamed_deadlines(deadlines: Deadlines, students: Students, key: Mapping[str, str]) -> Deadlines:
    """Return deadlines by the ids of a key. Names that are not exactly one of ``students`` stay, to be warned of."""
    ids = {student: id for id, student in key.items()}
    own = {}
    for name, text in deadlines.own.items():
        found = students.matches(name)
        own[ids.get(found[0], name) if len(found) == 1 else name] = text
    return msgspec.structs.replace(deadlines, own=own)


def named(grade: model.Grade, key: Mapping[str, str]) -> model.Grade:
    """Return a grade under the student's name. Raises KeyFileError if the key lacks the id."""
    if grade.student not in key:
        raise KeyFileError(f"the key file has no {grade.student}; give the key of this run")
    return msgspec.structs.replace(grade, student=key[grade.student])


def entries_again(entries: list[model.Entry], journal: Journal, out: Path) -> list[model.Entry]:
    """Return the entries of a run that is graded again: under its ids if it was anonymous. Raises KeyFileError."""
    if not journal.noted(FACT):
        return entries
    if not (key := key_of(out)):
        raise KeyFileError(f"this run is anonymous, and its key is not at {key_file(out)}; put it there")
    return renamed(entries, key)


def claim(journal: Journal, out: Path, anonymous: bool) -> None:
    """Note whether a run is anonymous. Raises KeyFileError if the run that it goes on with was not the same."""
    was = bool(journal.noted(FACT))
    if anonymous and was and len(journal.grades()) and not os.path.lexists(key_file(out)):
        raise KeyFileError(f"this run is anonymous, and its key is not at {key_file(out)}; put it there")
    if len(journal.grades()) and was != anonymous:
        told = "was anonymous; add --anonymous" if was else "was not anonymous; leave --anonymous away"
        raise KeyFileError(f"the run that --resume goes on with {told}, or choose another --out folder")
    journal.note(FACT, "1" if anonymous else "")
