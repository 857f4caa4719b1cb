"""The code cells of a notebook, from its JSON.

A v4 notebook is plain JSON whose code is two keys deep, and so are older ones. nbformat would
check them against a schema first and refuse, or complain about, what Colab and VS Code write;
the code in them is none the worse, and a student is not to lose points for metadata.
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import Any

from autograder.intake.errors import Unreadable
from autograder.intake.magics import clean

MAX_NODES = 2_000_000  # objects and lists; each costs a hundred bytes of memory and more
_SOURCE_KEYS = ("source", "input", "code")  # v4; v2 and v3; v1


def code_cells(raw: bytes) -> tuple[bytes, ...]:
    """The code cells in document order, as UTF-8 that Python can compile (see ``magics``).

    Raises ``Unreadable`` when ``raw`` is not a notebook.
    """
    if raw.count(b"{") + raw.count(b"[") > MAX_NODES:
        raise Unreadable("is not a notebook of a reasonable size")
    try:
        # A stray byte, as an old editor leaves it in a text cell, must not cost the code.
        book = json.loads(raw.decode(json.detect_encoding(raw), "replace"), strict=False)
    except (ValueError, RecursionError) as error:
        where = f" (line {error.lineno})" if isinstance(error, json.JSONDecodeError) else ""
        raise Unreadable(f"is not a notebook: its JSON is broken{where}") from error
    cells = list(_cells(book))
    return tuple(clean(_source(cell)).encode("utf-8", "replace") for cell in cells if _is_code(cell))


def _cells(book: Any) -> Iterator[dict[str, Any]]:
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


def _source(cell: dict[str, Any]) -> str:
    """The text of a cell: a string, or a list of lines with their ends."""
    source = next((cell[key] for key in _SOURCE_KEYS if key in cell), "")
    if isinstance(source, list):
        return "".join(line for line in source if isinstance(line, str))
    return source if isinstance(source, str) else ""
