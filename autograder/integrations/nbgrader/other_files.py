"""Copies the files next to a submitted notebook to the autograded folder, from which the formgrader serves them.

A person who grades in the formgrader can change grades. So links in a submission are not followed, and files that a
browser would run are not copied.
"""

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

NOTEBOOKS = ["*.ipynb", "*.ipynb.part"]  # written by the grader itself
RUN_BY_BROWSERS = ("html", "xml", "script", "xsl", "svg")


def copy(submitted: Path, course: Path, target: Path, ignored: list[str], kept: Container[str], mode: int) -> None:
    """Copy the student's files, then the course's own files over them except those in ``kept``, as nbgrader does.

    Raises OSError for errors that the submission did not cause.
    """
    for name in find_all_files(str(submitted), [*ignored, *NOTEBOOKS]):
        if is_safe(name):
            try:
                with open_regular(name) as file:
                    _write(file, target, os.path.relpath(name, submitted), mode)
            except Unreadable:
                continue
    for name in find_all_files(str(course), [*ignored, *NOTEBOOKS]):
        path = os.path.relpath(name, course)
        if path not in kept:
            with open(name, "rb") as file:
                _write(file, target, path, mode)


def remove_unsafe(submitted: Path, course: Path, target: Path, kept: Container[str]) -> None:
    """Remove the files that nbgrader has copied and ``copy`` would not."""
    for name in find_all_files(str(submitted), NOTEBOOKS):
        path = os.path.relpath(name, submitted)
        if not is_safe(name) and (path in kept or not (course / path).exists()):
            (target / path).unlink(missing_ok=True)


def is_safe(name: str) -> bool:
    """Whether a file is no link, and of no type that a browser runs in the formgrader's page."""
    mime = mimetypes.guess_type(name)[0] or ""  # the formgrader's server uses the same function
    return not os.path.islink(name) and not any(part in mime.lower() for part in RUN_BY_BROWSERS)


def _write(file: IO[bytes], folder: Path, path: str, mode: int) -> None:
    """Write one file, and replace what an earlier copy left at its path or at its folders' paths."""
    target = folder / path
    try:
        for parent in reversed(target.relative_to(folder).parents):
            if not (folder / parent).is_dir():
                (folder / parent).unlink(missing_ok=True)
                (folder / parent).mkdir(parents=True)
        if target.is_dir():
            shutil.rmtree(target)
        target.unlink(missing_ok=True)
        with target.open("wb") as copied:
            shutil.copyfileobj(file, copied)
        target.chmod(mode)
    except OSError as error:
        if error.errno != errno.ENAMETOOLONG:  # one student's long paths must not stop the class
            raise
