"""The files that other programs read: ``grades.csv`` and ``results/STUDENT.json`` (contract, section 4)."""

from __future__ import annotations

import contextlib
import csv
import hashlib
import io
import os
import re
import unicodedata
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import IO

import msgspec

from autograder import model

HEADER = ("student", "assignment", "score", "max_score", "status", "failed_checks", "diagnoses", "seconds")
FORMULA = ("=", "+", "-", "@", "＝", "＋", "－", "＠", "\t", "\r", "\n")
# Where a spreadsheet separates by semicolons, as in half of Europe, a cell of ours is several of its own.
INNER = re.compile(r"([;\t\r\n]\"*)(?=[=+@＝＋－＠-])")
PLAIN = re.compile(r"[\w-][\w.-]*")
PART = ".part"  # is added to the name of a file that is being written
LONGEST_NAME = 245  # bytes; file systems allow 255, and `.json.part` is added


def write_result(folder: Path, grade: model.Grade) -> Path:
    """Writes one student's result, whole or not at all."""
    path = folder / f"{file_name(grade.student)}.json"
    write_whole(path, msgspec.json.format(msgspec.json.encode(grade), indent=2) + b"\n")
    return path


def read_result(path: Path) -> model.Grade:
    """A result that was written. Raises OSError or msgspec.MsgspecError."""
    return msgspec.json.decode(path.read_bytes(), type=model.Grade)


def write_grades(path: Path, grades: Iterable[model.Grade]) -> None:
    """Writes the table of all students (RFC 4180, UTF-8), row by row, whole or not at all."""
    with whole(path, durable=True) as file:
        text = io.TextIOWrapper(file, encoding="utf-8", errors="replace", newline="")
        table = csv.writer(text)
        table.writerow(HEADER)
        for grade in grades:
            table.writerow(guarded(cell) for cell in _row(grade))
        text.flush()
        text.detach()  # ``whole`` has still to close it


def _row(grade: model.Grade) -> tuple[str, ...]:
    lost = [check for check in grade.checks if check.status in ("failed", "error", "timeout")]
    diagnoses = dict.fromkeys(check.diagnosis for check in lost if check.diagnosis)
    return (
        grade.student,
        grade.assignment,
        "" if grade.score is None else f"{grade.score:.10g}",
        f"{grade.max_score:.10g}",
        grade.status,
        ";".join(check.id for check in lost),
        ";".join(diagnoses),
        f"{grade.seconds:.3f}",
    )


def guarded(cell: str) -> str:
    """A cell that no spreadsheet takes for a formula; a number stays one."""
    if cell.startswith(FORMULA) and not re.fullmatch(r"[+-]?\d+(\.\d+)?", cell):
        cell = "'" + cell
    return INNER.sub(r"\1'", cell)


def file_name(student: str) -> str:
    """A file name for a student's id: the id where it is plain, else a safe and unique one, which no plain id
    can equal because of its ``~``."""
    normal = unicodedata.normalize("NFC", student) == student
    if normal and PLAIN.fullmatch(student) and len(student.encode("utf-8", "replace")) <= LONGEST_NAME:
        return student
    readable = re.sub(r"[^A-Za-z0-9_-]+", "-", student)[:60].strip("-")
    digest = hashlib.sha256(student.encode("utf-8", "surrogatepass")).hexdigest()[:16]
    return f"{readable or 'student'}~{digest}"


@contextlib.contextmanager
def whole(path: Path, *, durable: bool = False) -> Iterator[IO[bytes]]:
    """A file that takes the place of ``path`` when all of it is written, so that no reader ever sees half of it. Where
    that fails, ``path`` is as it was and nothing is left behind.

    ``durable``: it is also there after a power cut. Files that can be made again, as a student's result can from the
    journal, do without: waiting for the disk would cost more than grading does.
    """
    path.parent.mkdir(parents=True, exist_ok=True)
    temporary = path.with_name(path.name + PART)
    try:
        with temporary.open("wb") as file:
            yield file
            if durable:
                file.flush()
                os.fsync(file.fileno())
        os.replace(temporary, path)
    except BaseException:
        with contextlib.suppress(OSError):
            temporary.unlink()
        raise


def write_whole(path: Path, data: bytes) -> None:
    """Writes a file; see ``whole``."""
    with whole(path) as file:
        file.write(data)


def sweep(folder: Path) -> None:
    """Removes what a killed run has left half written."""
    for path in folder.glob(f"*.json{PART}"):
        path.unlink(missing_ok=True)
