"""What a bad input is, and the few ways in which nearly all of them are planted."""

from __future__ import annotations

import io
import os
import zipfile
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

ROOT = Path(__file__).resolve().parents[4]
SOLUTION = (ROOT / "solutions" / "bahdanau" / "bahdanau.py").read_bytes()
Plant = Callable[[Path, str], object]  # given the class's folder and the student's id
Data = bytes | Callable[[], bytes]  # what is large is made when it is planted


@dataclass(frozen=True)
class Bad:
    """One bad input of one student, or of several: how to plant it, and what must come of it.

    ``status`` is what ``grades.csv`` must say, ``says`` a part of what the student must be told. ``students``
    are the ids, where they are not the input's own name.
    """

    plant: Plant
    status: str
    says: str = ""
    score: float = 0
    students: tuple[str, ...] = ()


def fine(plant: Plant, *students: str) -> Bad:
    """Odd, and yet the student's work can be read: it must get all points."""
    return Bad(plant, "graded", "", 100, students)


def inside(name: str | bytes, data: Data = SOLUTION) -> Plant:
    """A file in the student's folder, whose parents are made."""

    def plant(folder: Path, student: str) -> None:
        path = os.path.join(os.fsencode(folder), os.fsencode(student), os.fsencode(name))
        os.makedirs(os.path.dirname(path), exist_ok=True)
        with open(path, "wb") as file:
            file.write(data() if callable(data) else data)

    return plant


def lone(suffix: str, data: Data = SOLUTION) -> Plant:
    """A file beside the other students', with the student's id as its name."""
    return lambda folder, student: (folder / (student + suffix)).write_bytes(
        data() if callable(data) else data
    )


def script(data: Data) -> Plant:
    """The script that is expected."""
    return inside("bahdanau.py", data)


def notebook(data: Data) -> Plant:
    """The notebook that is expected."""
    return inside("bahdanau.ipynb", data)


def several(*plants: Plant) -> Plant:
    """All of them, one after the other."""
    return lambda folder, student: [plant(folder, student) for plant in plants]


def packed(members: dict[str, bytes], method: int = zipfile.ZIP_DEFLATED) -> bytes:
    """A zip."""
    data = io.BytesIO()
    with zipfile.ZipFile(data, "w", method) as archive:
        for name, content in members.items():
            archive.writestr(name, content)
    return data.getvalue()
