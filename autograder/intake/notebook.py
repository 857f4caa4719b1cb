"""The code cells of a notebook, from its JSON.

A v4 notebook is plain JSON whose code is two keys deep, and so are older ones. nbformat would
check them against a schema first and refuse, or complain about, what Colab and VS Code write;
the code in them is none the worse, and a student is not to lose points for metadata.

What is JSON to the letter is skimmed: outputs, which may be large, are passed over and never
built. What is not (a stray byte, a tab in a text, NaN) is read with patience, where it is small.
"""

from __future__ import annotations

import itertools
import json
from collections.abc import Iterator
from typing import Any

import msgspec

from autograder.intake.errors import Unreadable
from autograder.intake.files import MB
from autograder.intake.magics import clean

MAX_NODES = 2_000_000  # objects and lists; each costs a hundred bytes of memory and more
MAX_CODE = 10 * MB  # characters in all code cells; the limit of a script
MAX_CELLS = 10_000  # of code; each takes a parser of its own
MAX_PATIENCE = 20 * MB  # bytes of a notebook that is not JSON to the letter
NO_SIZE = "is not a notebook of a reasonable size"
_TOO_LONG = f"holds more than {MAX_CODE / MB:g} MB of code"
_SOURCE_KEYS = ("source", "input", "code")  # v4; v2 and v3; v1
_LONGEST_CODE = len(r'"\u0063\u006f\u0064\u0065"')  # no way to write "code" is longer
_ABSENT, _EMPTY = msgspec.Raw(b"null"), msgspec.Raw(b'""')


class _Cell(msgspec.Struct):
    """What counts of a cell, not yet decoded."""

    cell_type: msgspec.Raw = _ABSENT
    source: msgspec.Raw = _ABSENT
    input: msgspec.Raw = _ABSENT
    code: msgspec.Raw = _ABSENT


class _Book(msgspec.Struct):
    """A notebook of version 4; any other is read with patience."""

    cells: list[_Cell]


def code_cells(raw: bytes) -> tuple[bytes, ...]:
    """The code cells in document order, as UTF-8 that Python can compile (see ``magics``).

    Raises ``Unreadable`` when ``raw`` is not a notebook.
    """
    if raw.count(b"{") + raw.count(b"[") > MAX_NODES:
        raise Unreadable(NO_SIZE)
    try:
        sources = _counted(_skimmed(msgspec.json.decode(raw, type=_Book)))
    except (msgspec.MsgspecError, ValueError, RecursionError):
        sources = _counted(source_of(cell) for cell in cells_of(patiently(raw)) if _is_code(cell))
    if sum(map(len, sources)) > MAX_CODE:
        raise Unreadable(_TOO_LONG)
    return tuple(clean(source).encode("utf-8", "replace") for source in sources)


def _counted(sources: Iterator[str]) -> list[str]:
    """The sources, if they are not too many."""
    kept = list(itertools.islice(sources, MAX_CELLS + 1))
    if len(kept) > MAX_CELLS:
        raise Unreadable(f"holds more than {MAX_CELLS} code cells")
    return kept


def _skimmed(book: _Book) -> Iterator[str]:
    """The texts of the code cells. Raises ``Unreadable`` for more than could be code."""
    left = 2 * MAX_CODE  # written in JSON, with escapes, quotes and commas
    for cell in book.cells:
        if not _says_code(bytes(cell.cell_type)):
            continue
        raw = next((raw for key in _SOURCE_KEYS if (raw := getattr(cell, key)) is not _ABSENT), _EMPTY)
        left -= len(bytes(raw))
        if left < 0:
            raise Unreadable(_TOO_LONG)
        yield text_of(_loads(raw))


def _says_code(raw: bytes) -> bool:
    """Whether a JSON text is "code". There may be a million of them: few have escapes, and need be decoded."""
    if b"\\" not in raw:
        return raw == b'"code"'
    return len(raw) <= _LONGEST_CODE and bool(_loads(raw) == "code")


def patiently(raw: bytes) -> Any:
    """Any JSON, also where it is a little broken. All of it is built, so there must not be too much."""
    if len(raw) > MAX_PATIENCE or sum(map(raw.count, (b"{", b"[", b","))) > MAX_NODES:
        raise Unreadable(f"{NO_SIZE} whose JSON is in order")
    try:
        return _loads(raw)
    except (ValueError, RecursionError) as error:
        where = f" (line {error.lineno})" if isinstance(error, json.JSONDecodeError) else ""
        raise Unreadable(f"is not a notebook: its JSON is broken{where}") from error


def _loads(raw: bytes | msgspec.Raw) -> Any:
    """A stray byte, as an old editor leaves it in a text cell, must not cost the code."""
    data = bytes(raw)
    return json.loads(data.decode(json.detect_encoding(data), "replace"), strict=False)


def cells_of(book: Any) -> Iterator[dict[str, Any]]:
    """All cells of ``book``; before v4 they lay in worksheets."""
    if not isinstance(book, dict):
        raise Unreadable("is not a notebook: it is JSON of another kind")
    sheets = book.get("worksheets") if "cells" not in book else [book]
    if not isinstance(sheets, list):
        raise Unreadable("is not a notebook: it has no cells")
    for sheet in sheets:
        cells = sheet.get("cells") if isinstance(sheet, dict) else None
        if not isinstance(cells, list):
            raise Unreadable("is not a notebook: it has no list of cells")
        yield from (cell for cell in cells if isinstance(cell, dict))


def _is_code(cell: dict[str, Any]) -> bool:
    return cell.get("cell_type") == "code"


def source_of(cell: dict[str, Any]) -> str:
    """The text of a cell, under the first of the keys that is there."""
    return text_of(next((cell[key] for key in _SOURCE_KEYS if key in cell), ""))


def text_of(source: Any) -> str:
    """A string, or a list of lines with their ends."""
    if isinstance(source, list):
        return "".join(line for line in source if isinstance(line, str))
    return source if isinstance(source, str) else ""
