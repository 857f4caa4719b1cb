"""The files of results: ``results/STUDENT.json`` (contract, section 4), written whole or not at all."""

import contextlib
import hashlib
import math
import os
import re
import unicodedata
from collections.abc import Iterator
from pathlib import Path
from typing import IO

import msgspec

from autograder import assignments, model
from autograder.intake.errors import Unreadable
from autograder.intake.files import read_regular
from autograder.model.text import escaped_json

PLAIN = re.compile(r"[\w-][\w.-]*")
PART = ".part"  # suffix of a file that is being written
LONGEST_RESULT = 50_000_000  # bytes; a hundred messages of the longest kind have two
SLACK = 1e-6  # a score is a rounded sum
LONGEST_NAME = 245  # bytes; file systems allow 255, and `.json.part` is added


class ResultError(Exception):
    """A result file can't be read."""


def write_result(folder: Path, grade: model.Grade) -> Path:
    """Write one student's result, whole or not at all. Return its path."""
    path = folder / f"{file_name(grade.student)}.json"
    write_whole(path, _result(grade))
    return path


def renew_result(folder: Path, grade: model.Grade) -> None:
    """Write one student's result if the file does not hold it already."""
    data = _result(grade)
    with contextlib.suppress(Unreadable):
        if read_regular(str(folder / f"{file_name(grade.student)}.json"), LONGEST_RESULT) == data:
            return
    write_whole(folder / f"{file_name(grade.student)}.json", data)


def _result(grade: model.Grade) -> bytes:
    return escaped_json(msgspec.json.format(msgspec.json.encode(grade), indent=2)) + b"\n"


def read_result(path: Path) -> model.Grade:
    """Return a result from its file. Raises ResultError if it is no regular file, too long or no result."""
    try:
        return decoded(read_regular(str(path), LONGEST_RESULT))
    except (Unreadable, msgspec.MsgspecError) as error:
        raise ResultError(f"{path} can't be read: {error}") from error


def decoded(data: object) -> model.Grade:
    """Return a grade from its JSON. Raises msgspec.MsgspecError for anything else, however deep."""
    if not isinstance(data, bytes | str):
        raise msgspec.ValidationError(f"Expected JSON, got {type(data).__name__}")
    try:
        return msgspec.json.decode(data, type=model.Grade)
    except RecursionError:
        raise msgspec.ValidationError("JSON is nested too deeply") from None


def defects(grade: model.Grade) -> Iterator[str]:
    """Yield what is wrong with a grade that came from elsewhere."""
    if grade.assignment not in assignments.NAMES:
        yield f"there is no assignment {grade.assignment!r}"
    if (grade.score is None) != (grade.status == "infrastructure-error"):
        yield f"the status {grade.status} does not allow the score {grade.score}"
    numbers = [grade.max_score, *(check.max_points for check in grade.checks)]
    if not all(math.isfinite(points) and points >= 0 for points in numbers):
        yield "a maximum is negative or not finite"
    scores = [(grade.score or 0.0, grade.max_score), *((check.points, check.max_points) for check in grade.checks)]
    if not all(0 <= points <= most + SLACK for points, most in scores):
        yield "points are below 0 or above their maximum"
    if not math.isfinite(grade.final or 0.0) or (grade.final or 0.0) < 0:
        yield f"the final score is {grade.final}"
    if len({check.id for check in grade.checks}) != len(grade.checks):
        yield "a check occurs twice"


def file_name(student: str) -> str:
    """Return a file name for a student's id: the id if it is plain, else a safe and unique name.

    The safe name holds a ``~``, so it never equals a plain id.
    """
    normal = unicodedata.normalize("NFC", student) == student
    if normal and PLAIN.fullmatch(student) and len(student.encode("utf-8", "replace")) <= LONGEST_NAME:
        return student
    readable = re.sub(r"[^A-Za-z0-9_-]+", "-", student)[:60].strip("-")
    digest = hashlib.sha256(student.encode("utf-8", "surrogatepass")).hexdigest()[:16]
    return f"{readable or 'student'}~{digest}"


@contextlib.contextmanager
def whole(path: Path, *, durable: bool = False) -> Iterator[IO[bytes]]:
    """Yield a file that replaces ``path`` once it is complete, so no reader sees half of it.

    If writing fails, ``path`` stays as it was and no other file remains. A ``durable`` file survives a power cut.
    Results can be made again from the journal, so they are not durable: waiting for the disk costs more than grading.
    """
    path.parent.mkdir(parents=True, exist_ok=True)
    temporary = path.with_name(path.name + PART)
    try:
        temporary.unlink(missing_ok=True)  # of a killed run, or a link that somebody put here: it is not followed
        with temporary.open("xb") as file:
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
    """Write a file; see ``whole``."""
    with whole(path) as file:
        file.write(data)


def sweep(folder: Path) -> None:
    """Remove half-written files of a killed run."""
    for path in folder.glob(f"*.json{PART}"):
        path.unlink(missing_ok=True)
