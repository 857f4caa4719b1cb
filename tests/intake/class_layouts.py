"""A class of sixty students in every layout, as the programs that hand it out write it."""

from __future__ import annotations

import io
import json
import zipfile
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path

from tests.paths import ROOT

Files = Mapping[str, bytes]
Class = Mapping[str, Files]
STARTER = (ROOT / "assignments" / "bahdanau" / "bahdanau.py").read_bytes()
BOOK = (ROOT / "assignments" / "bahdanau" / "bahdanau.ipynb").read_bytes()
SOLUTION = (ROOT / "solutions" / "bahdanau" / "bahdanau.py").read_bytes()
STUDENTS = 60


def notebook(text: bytes) -> bytes:
    cell = {"cell_type": "code", "metadata": {}, "outputs": [], "source": text.decode()}
    return json.dumps({"cells": [cell], "metadata": {}, "nbformat": 4, "nbformat_minor": 5}).encode()


def packed(files: Files) -> bytes:
    data = io.BytesIO()
    with zipfile.ZipFile(data, "w") as archive:
        for name, content in files.items():
            archive.writestr(name, content)
    return data.getvalue()


def handed_in(number: int, text: bytes) -> Files:
    """Return one student's files: in ten ways, six students each."""
    ways: tuple[Files, ...] = (
        {"bahdanau.py": text},
        {"bahdanau.ipynb": notebook(text)},
        {"bahdanau (1).py": text},
        {"hw1.py": text},
        {"bahdanau.py": STARTER, "bahdanau.ipynb": notebook(text)},
        {"bahdanau.ipynb": BOOK, "final.py": text, "notes.txt": b"-"},
        {"bahdanau.py": STARTER},
        {"hw1.py": text, "hw2.py": text + b"x = 1\n"},
        {"report.pdf": b"%PDF"},
        {"bahdanau.ipynb": b"{"},
    )
    return ways[number % len(ways)]


def class_of(text: Callable[[int], bytes]) -> Class:
    """Return the files of a class by student. ``text`` is what the student of a number wrote."""
    return {f"student{number:02}": handed_in(number, text(number)) for number in range(STUDENTS)}


CLASS = class_of(lambda number: SOLUTION + f"\n# student {number}\n".encode())
Built = Iterator[tuple[str, bytes]]  # paths below the folder of submissions, and what they hold


def folder(of: Class = CLASS) -> Built:
    for student, files in of.items():
        yield from ((f"{student}/{name}", data) for name, data in files.items())


def zips(of: Class = CLASS) -> Built:
    yield from ((f"{student}.zip", packed(files)) for student, files in of.items())


def a_zip_in_each_folder(of: Class = CLASS) -> Built:
    yield from ((f"{student}/{student}.zip", packed(files)) for student, files in of.items())


def nbgrader(of: Class = CLASS) -> Built:
    yield from ((f"submitted/{s}/bahdanau/{name}", data) for s, files in of.items() for name, data in files.items())


def gradescope(of: Class = CLASS) -> Built:
    lines = []
    for number, (student, files) in enumerate(of.items(), start=1):
        lines += [f"submission_{number}:", "  :submitters:", f"  - :name: S\n    :sid: '{student}'"]
        yield from ((f"submission_{number}/{name}", data) for name, data in files.items())
    yield "submission_metadata.yml", "\n".join(lines).encode()


def canvas(of: Class = CLASS) -> Built:
    upload = 5000
    for number, (student, files) in enumerate(of.items()):
        for name, data in files.items():
            upload += 1
            late = "_LATE" if number % 7 == 0 else ""
            yield f"{student}{late}_{100 + number}_{upload}_{name}", data


def moodle(of: Class = CLASS) -> Built:
    for number, (student, files) in enumerate(of.items()):
        yield from ((f"{student}_{number}_assignsubmission_file/{name}", data) for name, data in files.items())


def moodle_with_texts(of: Class = CLASS) -> Built:
    yield from moodle(of)
    for number, student in enumerate(of):
        yield f"{student}_{number}_assignsubmission_onlinetext/onlinetext.html", b"<p>see file</p>"


def moodle_flat(of: Class = CLASS) -> Built:
    for number, (student, files) in enumerate(of.items()):
        yield from ((f"{student}_{number}_assignsubmission_file_{name}", data) for name, data in files.items())


def clones(of: Class = CLASS) -> Built:
    for student, files in of.items():
        starters = {"README.md": b"# Bahdanau", "test_bahdanau.py": b"", ".git/config": b"[core]"}
        yield from ((f"hw1-{student}/{name}", data) for name, data in {**starters, **files}.items())


Layout = Callable[..., Built]
LAYOUTS: tuple[Layout, ...] = (
    *(zips, a_zip_in_each_folder, nbgrader, gradescope, canvas),
    *(moodle, moodle_with_texts, moodle_flat, clones),
)


def written(root: Path, built: Built) -> Path:
    """Write what ``built`` yields below ``root``."""
    for name, data in built:
        (root / name).parent.mkdir(parents=True, exist_ok=True)
        (root / name).write_bytes(data)
    return root
