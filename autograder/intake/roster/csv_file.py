"""A CSV file that knows the position of each cell, so that a few can be changed and nothing else."""

from __future__ import annotations

import os
import re
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import NamedTuple

from autograder.intake.errors import Unreadable
from autograder.intake.files import read_regular

LARGEST = 50_000_000  # bytes; the gradebook of ten thousand students has five
MOST_CELLS = 2_000_000  # each needs 150 bytes; that gradebook with 100 columns has half as many
DELIMITERS = (",", ";", "\t")
BOM = "\ufeff"
ENDS = "\r\n"


class SheetError(Exception):
    """The file can't be read as a table. The text is for the person at the keyboard."""


class CsvCell(NamedTuple):
    """A cell's value, and its position in the text: from ``start`` up to ``end``, quotes included."""

    value: str
    start: int
    end: int


Record = tuple[CsvCell, ...]


class Sheet(NamedTuple):
    """A table: its ``header``, its ``rows`` without empty lines, and their text."""

    path: Path
    text: str
    delimiter: str
    header: tuple[str, ...]
    rows: tuple[Record, ...]

    def line(self, row: Record) -> int:
        """Return the line in which a row begins, counted from 1."""
        return self.text.count("\n", 0, row[0].start) + 1

    def replaced(self, changes: Mapping[CsvCell, str]) -> bytes:
        """Return the file with some cells changed and every other byte the same."""
        parts, at = [], 0
        for cell in sorted(changes, key=lambda cell: cell.start):
            parts += [self.text[at : cell.start], quoted(changes[cell], self.delimiter)]
            at = cell.end
        return "".join([*parts, self.text[at:]]).encode("utf-8")


def quoted(value: str, delimiter: str = ",") -> str:
    """Return a value as RFC 4180 writes it: in quotes only if it needs them."""
    if any(mark in value for mark in (delimiter, '"', *ENDS)):
        return '"' + value.replace('"', '""') + '"'
    return value


def read_sheet(path: Path) -> Sheet:
    """Return the table in a UTF-8 CSV file with a header and commas, semicolons or tabs. Raises SheetError."""
    text = _text(path)
    bare = re.sub(r'"[^"]*"', "", text.lstrip(BOM + ENDS))  # delimiters inside quotes do not count
    delimiter = max(DELIMITERS, key=bare.partition("\n")[0].count)
    try:
        table = list(records(text, delimiter))
    except SheetError as error:
        raise SheetError(f"{path} {error}") from None
    if not table:
        raise SheetError(f"{path} is empty; expected a CSV file whose first line names its columns")
    header = tuple(cell.value.removeprefix(BOM) for cell in table[0])
    sheet = Sheet(path, text, delimiter, header, tuple(table[1:]))
    for row in sheet.rows:
        if len(row) > len(header):
            raise SheetError(
                f"{path}, line {sheet.line(row)}: {len(row)} cells, but the header names {len(header)} columns; "
                "a cell that holds a comma must be in quotes"
            )
    return sheet


def _text(path: Path) -> str:
    try:
        data = read_regular(os.path.realpath(path), LARGEST)  # a person may name a link
    except Unreadable as error:
        raise SheetError(f"{path} {error}; is it the roster?") from error
    try:
        text = data.decode("utf-8")
    except UnicodeDecodeError as error:
        line = data.count(b"\n", 0, error.start) + 1
        raise SheetError(f"{path}, line {line}: not UTF-8; save it as 'CSV UTF-8'") from error
    if "\0" in text:
        raise SheetError(f"{path} is no text file; expected CSV (not .xlsx): save it as 'CSV UTF-8'")
    return text


def records(text: str, delimiter: str) -> Iterator[Record]:
    """Yield the records of a CSV text as ``csv.reader`` does, without empty lines.

    Raises SheetError if there are too many cells.
    """
    # A quoted part, which may lack its end at the end of the text, and then all up to the delimiter or the line's end.
    pattern = re.compile(rf'(?:"([^"]*+(?:""[^"]*+)*+)(?:"|\Z))?([^{delimiter}{ENDS}]*)')
    at = 1 if text.startswith(BOM) else 0
    row: list[CsvCell] = []
    cells = 0
    while at < len(text) or row:
        if not row and text[at] in ENDS:
            at = _after_ends(text, at)
            continue
        cells += 1
        if cells > MOST_CELLS:
            raise SheetError(f"has more than {MOST_CELLS:,} cells; is it the roster?")
        match = pattern.match(text, at)
        assert match, "the pattern matches an empty cell"
        inside, rest = match.groups("")
        row.append(CsvCell(inside.replace('""', '"') + rest, at, match.end()))
        at = match.end() + 1  # after "\r", the "\n" that may follow is an empty line
        if text[at - 1 : at] == delimiter:
            continue
        if len(row) > 1 or row[0].end > row[0].start:
            yield tuple(row)
        row = []


def _after_ends(text: str, at: int) -> int:
    """Return the position after the line ends at ``at``: there may be millions of empty lines."""
    other = re.compile(f"[^{ENDS}]").search(text, at)
    return other.start() if other else len(text)
