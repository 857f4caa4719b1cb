"""What is done with planted inputs: whose they are, what lies where, and what a run wrote of them."""

from __future__ import annotations

import csv
import os
import shutil
import stat
from pathlib import Path

from autograder.intake.names import printable_ids
from tests.hostile.submissions.inputs import Bad

TOPIC = "bahdanau"


def ids(name: str, bad: Bad) -> list[str]:
    """The students of one input, as results tell them."""
    return list(printable_ids(bad.students or (name,)).values())


def snapshot(folder: Path) -> dict[str, tuple[int, int]]:
    """Every file, by name, size and the moment it was written."""
    found = {}
    for place, names, files in os.walk(folder):
        for name in (*names, *files):
            try:
                status = os.lstat(path := os.path.join(place, name))
            except PermissionError:  # in a folder that is closed to an ordinary user
                continue
            if not stat.S_ISDIR(status.st_mode):
                found[path] = status.st_size, status.st_mtime_ns
    return found


def clear(folder: Path) -> None:
    """Removes a class, of which pytest would keep hundreds of megabytes; what was closed is opened first."""
    for place, names, _ in os.walk(folder):
        for name in names:
            path = os.path.join(place, name)
            if not os.path.islink(path):
                os.chmod(path, 0o755)
    shutil.rmtree(folder)


def rows(out: Path) -> list[dict[str, str]]:
    with (out / "grades.csv").open(newline="", encoding="utf-8") as file:
        return list(csv.DictReader(file))
