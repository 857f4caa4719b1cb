"""``deadlines.csv``: the columns ``student`` and ``deadline`` or ``extension``. The row of ``*`` is for all others."""

from __future__ import annotations

from pathlib import Path

import msgspec

from autograder.course import lateness
from autograder.intake.roster.csv_file import Record, Sheet, SheetError, read_sheet

DEFAULT = "*"
WHEN = ("deadline", "extension")


class Deadlines(msgspec.Struct, frozen=True):
    """Deadlines and extensions as texts (see ``lateness``): ``default`` for all, ``own`` by the names in the file."""

    default: str = ""
    own: dict[str, str] = {}


def read_deadlines(path: Path) -> Deadlines:
    """Return the deadlines in a CSV file. Raises SheetError, which names the line."""
    sheet = read_sheet(path)
    columns = {heading.strip().casefold(): at for at, heading in enumerate(sheet.header)}
    if "student" not in columns or not set(WHEN) & set(columns):
        found = ", ".join(map(repr, sheet.header[:20]))
        raise SheetError(f"{path}: expected the columns 'student' and 'deadline' or 'extension'; found {found}")
    own: dict[str, str] = {}
    for row in sheet.rows:
        student, text = _row(sheet, row, columns)
        if student in own:
            raise SheetError(f"{path}, line {sheet.line(row)}: {student!r} has an earlier row; keep one")
        own[student] = text
    return Deadlines(own.pop(DEFAULT, ""), own)


def _row(sheet: Sheet, row: Record, columns: dict[str, int]) -> tuple[str, str]:
    where = f"{sheet.path}, line {sheet.line(row)}"
    cells = {name: row[at].value.strip() if at < len(row) else "" for name, at in columns.items()}
    given = [cells[name] for name in WHEN if cells.get(name)]
    if not cells["student"]:
        raise SheetError(f"{where}: the student is empty; use {DEFAULT} for everybody else")
    if len(given) != 1:
        raise SheetError(f"{where}: expected a deadline or an extension, got {'both' if given else 'neither'}")
    try:
        return cells["student"], lateness.checked(given[0])
    except lateness.LateError as error:
        raise SheetError(f"{where}: {error}") from error
