"""Submissions as found on disk, and as read."""

from __future__ import annotations

from pathlib import Path
from typing import Literal

import msgspec

from autograder.protocol.source_text import lines_of, shown_text


class HandedIn(msgspec.Struct, frozen=True):
    """What a learning management system says about a work that was handed in.

    ``at`` is a time in UTC as ISO 8601 writes it ("2026-02-01T10:00:00Z"), or empty. ``late`` is what it marked, or
    None where it marks nothing. ``lms_id`` is its number of the student, and ``lms_upload`` its number of the upload;
    both are empty where it gives none.
    """

    at: str = ""
    late: bool | None = None
    lms_id: str = ""
    lms_upload: str = ""


class Entry(msgspec.Struct, frozen=True):
    """Where one student's work is on disk. Nothing of it has been read yet.

    ``parts`` are files or folders. The first one counts. ``names`` are what the student called them, where the layout
    has renamed them. What is read of an ``anonymous`` entry names no file.
    """

    student: str
    parts: tuple[Path, ...]
    note: str = ""
    names: tuple[str, ...] = ()
    handed_in: HandedIn = HandedIn()
    anonymous: bool = False


class Submission(msgspec.Struct, frozen=True):
    """One student's file, read but never executed.

    ``cells`` are run in order. A script has one, its raw bytes. A notebook has its code cells, in UTF-8 and without
    magics and shell lines. ``note`` tells the student how the file was found, or why it was not. ``path`` is where the
    file lies, below the student's folder or archive, and ``sha256`` is of its bytes.
    """

    student: str
    status: Literal["ready", "missing", "unreadable"]
    kind: Literal["script", "notebook"] = "script"
    filename: str = ""
    cells: tuple[bytes, ...] = ()
    note: str = ""
    digest: str = ""  # sha256 of kind and cells: the identity of the work, not of the student
    path: str = ""
    sha256: str = ""
    handed_in: HandedIn = HandedIn()

    @property
    def texts(self) -> tuple[str, ...]:
        """Return the cells as people read them, with ``\\n`` as the only line end."""
        return tuple("".join(lines_of(shown_text(cell, self.kind))) for cell in self.cells)
