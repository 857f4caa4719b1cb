"""All cells of a notebook, as text to show again. Nothing else of a student's file is kept."""

from __future__ import annotations

import re
from typing import Any, Literal

import msgspec

from autograder.intake.errors import Unreadable
from autograder.intake.files import MB
from autograder.intake.notebook import MAX_CELLS, check_size, lenient_cells, source_of, text_of

MAX_TEXT = 10 * MB  # characters in all cells together; the rest is left out
MAX_ATTACHED = 20 * MB  # bytes of pasted pictures, in all cells together
MAX_NAME = 200  # characters of a cell's name

PICTURES = ("image/png", "image/jpeg", "image/gif")

Attachments = dict[str, dict[str, str]]

_BASE64 = re.compile(r"[A-Za-z0-9+/=\s]*")


class NotebookCell(msgspec.Struct, frozen=True):
    """One cell: its text, its nbgrader name ('' for none), and pasted pictures."""

    kind: Literal["code", "markdown", "raw"]
    text: str
    name: str = ""
    attachments: Attachments = {}


class _Cell(msgspec.Struct):
    cell_type: Any = None
    source: Any = ""
    metadata: Any = None
    attachments: msgspec.Raw = msgspec.Raw(b"{}")


class _Book(msgspec.Struct):
    cells: list[_Cell]


def notebook_cells(raw: bytes) -> list[NotebookCell]:
    """Return the cells of a notebook, in order. Raises ``Unreadable`` if it is no notebook, or too large."""
    check_size(raw)
    try:
        cells = msgspec.json.decode(raw, type=_Book).cells
    except (msgspec.MsgspecError, ValueError, RecursionError):
        cells = [_known(cell) for cell in lenient_cells(raw)]
    if len(cells) > MAX_CELLS:
        raise Unreadable(f"holds more than {MAX_CELLS} cells")
    return _within(cells)


def _known(cell: dict[str, Any]) -> _Cell:
    """Return a cell of an old version under the names of the current one."""
    kinds = {"heading": "markdown", "html": "markdown"}
    kind = cell.get("cell_type")
    return _Cell(kinds.get(kind, kind) if isinstance(kind, str) else None, source_of(cell), cell.get("metadata"))


def _within(cells: list[_Cell]) -> list[NotebookCell]:
    """Return the cells within the limits on text and pictures."""
    found, text_left, attached_left = [], MAX_TEXT, MAX_ATTACHED
    for cell in cells:
        if not isinstance(cell.cell_type, str) or cell.cell_type not in ("code", "markdown", "raw"):
            continue
        text = _sound(text_of(cell.source)[:text_left])
        text_left -= len(text)
        attached = _attached(cell.attachments, attached_left) if cell.cell_type == "markdown" else {}
        attached_left -= len(bytes(cell.attachments)) if attached else 0
        found.append(NotebookCell(cell.cell_type, text, _name(cell.metadata), attached))  # type: ignore[arg-type]  # one of three
    return found


def _sound(text: str) -> str:
    """Return text that is valid UTF-8; JSON can hold half a character."""
    return text.encode("utf-8", "replace").decode("utf-8")


def _name(metadata: Any) -> str:
    ours = metadata.get("nbgrader") if isinstance(metadata, dict) else None
    name = ours.get("grade_id") if isinstance(ours, dict) else None
    return _sound(name) if isinstance(name, str) and len(name) <= MAX_NAME else ""


def _attached(raw: msgspec.Raw, most: int) -> Attachments:
    """Return the pasted pictures that are valid."""
    if len(bytes(raw)) > most:
        return {}
    try:
        found = msgspec.json.decode(bytes(raw), type=Attachments)
    except (msgspec.MsgspecError, ValueError):
        return {}
    kept = {
        name: {kind: data for kind, data in forms.items() if kind in PICTURES and _BASE64.fullmatch(data)}
        for name, forms in found.items()
    }
    return {_sound(name): forms for name, forms in kept.items() if forms}
