"""Files that belong to a notebook, in the folder of autograded ones, out of which the formgrader serves them.

Whoever grades there may change grades. So a link of a student's is not followed, and what a browser would run is
left where it was handed in.
"""

from __future__ import annotations

import errno
import mimetypes
import os
import shutil
from collections.abc import Container
from pathlib import Path
from typing import IO

from nbgrader.utils import find_all_files

from autograder.intake.errors import Unreadable
from autograder.intake.files import open_regular

NOTEBOOKS = ["*.ipynb", "*.ipynb.part"]  # which are written otherwise
RUN_BY_BROWSERS = ("html", "xml", "script", "xsl", "svg")


def lay(
    submitted: Path, course: Path, target: Path, ignored: list[str], kept: Container[str], mode: int
) -> None:
    """Copies the student's files, then over them the course's own but for those ``kept``, as nbgrader does. Raises
    OSError for what is no student's doing."""
    for name in find_all_files(str(submitted), [*ignored, *NOTEBOOKS]):
        if harmless(name):
            try:
                with open_regular(name) as file:
                    _write(file, target, os.path.relpath(name, submitted), mode)
            except Unreadable:
                continue
    for name in find_all_files(str(course), [*ignored, *NOTEBOOKS]):
        place = os.path.relpath(name, course)
        if place not in kept:
            with open(name, "rb") as file:
                _write(file, target, place, mode)


def take_back(submitted: Path, course: Path, target: Path, kept: Container[str]) -> None:
    """Removes what nbgrader has copied and ``lay`` would not have."""
    for name in find_all_files(str(submitted), NOTEBOOKS):
        place = os.path.relpath(name, submitted)
        if not harmless(name) and (place in kept or not (course / place).exists()):
            (target / place).unlink(missing_ok=True)


def harmless(name: str) -> bool:
    """Whether a file is one of its own, and of no kind that runs in the page of the formgrader."""
    kind = mimetypes.guess_type(name)[0] or ""  # as the formgrader's server tells kinds
    return not os.path.islink(name) and not any(part in kind.lower() for part in RUN_BY_BROWSERS)


def _write(file: IO[bytes], folder: Path, place: str, mode: int) -> None:
    """Writes one file, whatever an earlier copy has left where it or a folder of it is to be."""
    target = folder / place
    try:
        for way in reversed(target.relative_to(folder).parents):
            if not (folder / way).is_dir():
                (folder / way).unlink(missing_ok=True)
                (folder / way).mkdir(parents=True)
        if target.is_dir():
            shutil.rmtree(target)
        target.unlink(missing_ok=True)
        with target.open("wb") as copy:
            shutil.copyfileobj(file, copy)
        target.chmod(mode)
    except OSError as error:
        if error.errno != errno.ENAMETOOLONG:  # which would stop the class for one student's folders
            raise
