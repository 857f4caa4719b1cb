"""The code cells of a notebook, from its JSON.

nbformat checks a schema first, and rejects or warns about what Colab and VS Code write. Their code is fine, and
students must not lose points for metadata.

Strict JSON is skimmed: outputs, which may be large, are skipped and never built. Small notebooks with minor errors (a
stray byte, a tab in a string, NaN) are read leniently.
"""

from __future__ import annotations

import ast
import itertools
import json
from collections.abc import Collection, Iterator
from typing import Any, NamedTuple

import msgspec

from autograder.intake.errors import Unreadable
from autograder.intake.files import MB
from autograder.intake.magics import clean_all

SKIP_TAG = "attngrade-skip"  # of generated cells: checks, pictures and what works in the end
MAX_NODES = 2_000_000  # objects and lists; each costs a hundred bytes of memory and more
MAX_CODE = 10 * MB  # characters in all code cells; the limit of a script
MAX_CELLS = 10_000  # of code; each takes a parser of its own
MAX_LENIENT = 20 * MB  # bytes of a notebook that is not strict JSON
NO_SIZE = "is not a notebook of a reasonable size"
_TOO_LONG = f"holds more than {MAX_CODE / MB:g} MB of code"
_SOURCE_KEYS = ("source", "input", "code")  # v4; v2 and v3; v1
_LONGEST_CODE = len(r'"\u0063\u006f\u0064\u0065"')  # the longest way to write "code"
_ABSENT, _EMPTY = msgspec.Raw(b"null"), msgspec.Raw(b'""')


class _Cell(msgspec.Struct):
    """The parts of a cell that count, not yet decoded."""

    cell_type: msgspec.Raw = _ABSENT
    metadata: msgspec.Raw = _ABSENT
    source: msgspec.Raw = _ABSENT
    input: msgspec.Raw = _ABSENT
    code: msgspec.Raw = _ABSENT


class _Book(msgspec.Struct):
    """A notebook of version 4. Any other is read leniently."""

    cells: list[_Cell]


class CodeCell(NamedTuple):
    """The source of a code cell, and whether it is tagged to be skipped."""

    source: str
    skipped: bool = False


def code_cells(raw: bytes, names: Collection[str] = ()) -> tuple[bytes, ...]:
    """Return the code cells in order, as UTF-8 that Python can compile (see ``magics``).

    Of a cell that is tagged ``attngrade-skip`` only the definitions of ``names`` are kept. Raises ``Unreadable`` if
    ``raw`` is not a notebook.
    """
    check_size(raw)
    try:
        cells = _counted(_skimmed(msgspec.json.decode(raw, type=_Book)))
    except (msgspec.MsgspecError, ValueError, RecursionError):
        code = (cell for cell in lenient_cells(raw) if cell.get("cell_type") == "code")
        cells = _counted(CodeCell(source_of(cell), is_skipped(cell.get("metadata"))) for cell in code)
    if sum(len(cell.source) for cell in cells) > MAX_CODE:
        raise Unreadable(_TOO_LONG)
    cleaned = zip(clean_all(cell.source for cell in cells), cells, strict=True)
    texts = (definitions(source, names) if cell.skipped else source for source, cell in cleaned)
    return tuple(text.encode("utf-8", "replace") for text in texts)


def is_skipped(metadata: Any) -> bool:
    """Return whether a cell's metadata has the tag of cells that are not run while grading."""
    tags = metadata.get("tags") if isinstance(metadata, dict) else None
    return isinstance(tags, list) and SKIP_TAG in tags


def definitions(source: str, names: Collection[str]) -> str:
    """Return the functions and classes called ``names`` in their lines, and all other lines empty.

    Nothing is kept of code that cannot be parsed.
    """
    try:
        body = ast.parse(source).body
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return ""
    kept: set[int] = set()
    for node in body:
        if isinstance(node, ast.FunctionDef | ast.ClassDef) and node.name in names:
            first = min((node.lineno, *(decorator.lineno for decorator in node.decorator_list)))
            kept.update(range(first, (node.end_lineno or first) + 1))
    lines = source.splitlines()
    return "\n".join(line if number in kept else "" for number, line in enumerate(lines, start=1)) if kept else ""


def check_size(raw: bytes) -> None:
    """Raise ``Unreadable`` for a notebook with too many objects and lists."""
    if raw.count(b"{") + raw.count(b"[") > MAX_NODES:
        raise Unreadable(NO_SIZE)


def _counted(cells: Iterator[CodeCell]) -> list[CodeCell]:
    """Return the cells. Raises ``Unreadable`` if there are too many."""
    kept = list(itertools.islice(cells, MAX_CELLS + 1))
    if len(kept) > MAX_CELLS:
        raise Unreadable(f"holds more than {MAX_CELLS} code cells")
    return kept


def _skimmed(book: _Book) -> Iterator[CodeCell]:
    """Yield the code cells. Raises ``Unreadable`` if they are too long."""
    left = 2 * MAX_CODE  # JSON adds escapes, quotes and commas
    for cell in book.cells:
        if not _says_code(bytes(cell.cell_type)):
            continue
        raw = next((raw for key in _SOURCE_KEYS if (raw := getattr(cell, key)) is not _ABSENT), _EMPTY)
        left -= len(bytes(raw))
        if left < 0:
            raise Unreadable(_TOO_LONG)
        tagged = SKIP_TAG.encode() in bytes(cell.metadata)  # few are: only their metadata are decoded
        yield CodeCell(text_of(_loads(raw)), tagged and is_skipped(_loads(cell.metadata)))


def _says_code(raw: bytes) -> bool:
    """Return whether a JSON text is "code". There may be a million; only the few with escapes are decoded."""
    if b"\\" not in raw:
        return raw == b'"code"'
    return len(raw) <= _LONGEST_CODE and bool(_loads(raw) == "code")


def _decoded_leniently(raw: bytes) -> Any:
    if len(raw) > MAX_LENIENT or sum(map(raw.count, (b"{", b"[", b","))) > MAX_NODES:
        raise Unreadable(f"{NO_SIZE} whose JSON is in order")
    try:
        return _loads(raw)
    except (ValueError, RecursionError) as error:
        where = f" (line {error.lineno})" if isinstance(error, json.JSONDecodeError) else ""
        raise Unreadable(f"is not a notebook: its JSON is broken{where}") from error


def _loads(raw: bytes | msgspec.Raw) -> Any:
    """Decode JSON and replace stray bytes, as old editors leave them in text cells."""
    data = bytes(raw)
    return json.loads(data.decode(json.detect_encoding(data), "replace"), strict=False)


def lenient_cells(raw: bytes) -> Iterator[dict[str, Any]]:
    """Yield all cells in spite of minor errors in the JSON. All of it is built, so its size is limited.

    Before v4 cells lie in worksheets.
    """
    book = _decoded_leniently(raw)
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


def source_of(cell: dict[str, Any]) -> str:
    """Return the text of a cell, under the first key that is present."""
    return text_of(next((cell[key] for key in _SOURCE_KEYS if key in cell), ""))


def text_of(source: Any) -> str:
    """Return the text of a source: a string, or a list of lines with their ends."""
    if isinstance(source, list):
        return "".join(line for line in source if isinstance(line, str))
    return source if isinstance(source, str) else ""
