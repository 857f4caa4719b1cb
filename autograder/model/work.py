"""What students hand in."""

from __future__ import annotations

from pathlib import Path
from typing import Literal

import msgspec


class Entry(msgspec.Struct, frozen=True):
    """Where one student's work lies; nothing of it has been read yet.

    ``parts`` are files or folders, the one that counts first.
    """

    student: str
    parts: tuple[Path, ...]
    note: str = ""


class Submission(msgspec.Struct, frozen=True):
    """One student's file, read but never executed.

    ``cells`` are the pieces of source to run in order: the raw bytes of a script as its only
    item, or the code cells of a notebook (UTF-8, magics and shell lines already taken out).
    ``note`` is what the student should be told about how the file was found, or why it was not.
    """

    student: str
    status: Literal["ready", "missing", "unreadable"]
    kind: Literal["script", "notebook"] = "script"
    filename: str = ""
    cells: tuple[bytes, ...] = ()
    note: str = ""
    digest: str = ""  # sha256 of kind and cells; the identity of the work, not of the student
