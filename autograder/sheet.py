"""A CSV file that remembers where each of its cells stood, so that a few can be changed and nothing else."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path
from typing import NamedTuple

LARGEST = 50_000_000  # bytes; the gradebook of ten thousand students has five
DELIMITERS = (",", ";", "\t")
BOM = "\ufeff"
ENDS = "\r\n"


class SheetError(Exception):
    """The file can't be read as a table; the text is a sentence for the person at the keyboard."""


class Cell(NamedTuple):
    """A cell's value, and where it stands in the text: from ``start`` up to ``end``, its quotes included."""

    value: str
    start: int
    end: int


Record = tuple[Cell, ...]


class Sheet(NamedTuple):
    """A table: ``header`` and ``rows`` of cells (empty lines left out), and the very text they come from."""

    path: Path
    text: str
    delimiter: str
    header: tuple[str, ...]
    rows: tuple[Record, ...]

    def line(self, row: Record) -> int:
        """The line in which a row begins, counted from 1."""
        return self.text.count("\n", 0, row[0].start) + 1

    def replaced(self, changes: Mapping[Cell, str]) -> bytes:
        """The file with some cells changed and every other byte as it was."""
        parts, at = [], 0
        for cell in sorted(changes, key=lambda cell: cell.start):
            parts += [self.text[at : cell.start], quoted(changes[cell], self.delimiter)]
            at = cell.end
        return "".join([*parts, self.text[at:]]).encode("utf-8")


def quoted(value: str, delimiter: str = ",") -> str:
    """A value as RFC 4180 writes it: in quotes only where it needs them."""
    if any(mark in value for mark in (delimiter, '"', *ENDS)):
        return '"' + value.replace('"', '""') + '"'
    return value


def read_sheet(path: Path) -> Sheet:
    """The table in a CSV file with a header, in UTF-8, separated by commas, semicolons or tabs. Raises SheetError."""
    text = _text(path)
    bare = re.sub(r'"[^"]*"', "", text.lstrip(BOM + ENDS))  # of cells in quotes no mark counts
    delimiter = max(DELIMITERS, key=bare.partition("\n")[0].count)
    table = list(records(text, delimiter))
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
        with path.open("rb") as file:
            data = file.read(LARGEST + 1)
    except OSError as error:
        raise SheetError(f"{path} can't be read: {(error.strerror or str(error)).lower()}") from error
    if len(data) > LARGEST:
        raise SheetError(f"{path} is larger than {LARGEST // 1_000_000} MB; is it the roster?")
    try:
        text = data.decode("utf-8")
    except UnicodeDecodeError as error:
        line = data.count(b"\n", 0, error.start) + 1
        raise SheetError(f"{path}, line {line}: not UTF-8; save it as 'CSV UTF-8'") from error
    if "\0" in text:
        raise SheetError(f"{path} is no text file; expected CSV (not .xlsx): save it as 'CSV UTF-8'")
    return text


def records(text: str, delimiter: str) -> Iterator[Record]:
    """The records of a CSV text, as ``csv.reader`` reads them; lines with nothing in them are left out."""
    at = 1 if text.startswith(BOM) else 0
    row: list[Cell] = []
    while at < len(text) or row:
        cell, at = _cell(text, at, delimiter)
        row.append(cell)
        if text[at : at + 1] == delimiter:
            at += 1
            continue
        if len(row) > 1 or row[0].end > row[0].start:
            yield tuple(row)
        row = []
        at += 1  # of "\r\n" the other half is then a line with nothing in it


def _cell(text: str, start: int, delimiter: str) -> tuple[Cell, int]:
    """The cell that begins at ``start``, and where it ends: at a delimiter, a line's end or the end of the text."""
    at, value = start, ""
    if text[at : at + 1] == '"':
        at += 1
        while True:
            close = text.find('"', at)
            if close < 0:  # never closed: all the rest, as csv.reader has it
                return Cell(value + text[at:], start, len(text)), len(text)
            value += text[at:close]
            at = close + 1
            if text[at : at + 1] != '"':
                break
            value += '"'
            at += 1
    end = _first(text, at, (delimiter, *ENDS))
    return Cell(value + text[at:end], start, end), end


def _first(text: str, at: int, marks: Iterable[str]) -> int:
    return min((place for mark in marks if (place := text.find(mark, at)) >= 0), default=len(text))
