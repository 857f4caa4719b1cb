"""The files that a run writes into its output folder, and how the folder is known again."""

from __future__ import annotations

from pathlib import Path

# In the order in which they are moved: the journal last, so that a run that dies meanwhile still has it.
RUN_FILES = (
    *("grades.csv", "report", "results", "feedback", "exports"),
    *("journal.sqlite-wal", "journal.sqlite-shm", "journal.sqlite"),
)
PREVIOUS = "previous"  # the folder of earlier runs, within the output folder
LOCK = ".lock"


def mark(folder: Path) -> str:
    """Return the line by which a run marks its output folder, in the lock file.

    It holds the folder's number on its file system. So a copy is not marked, nor a folder that somebody hands in.
    """
    return f"folder {folder.stat().st_ino}"
