"""Sixty students' work is read the same in every layout, as the programs that hand it out write it."""

from __future__ import annotations

import io
import json
import zipfile
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path

import pytest

from autograder.intake import discover, opened, read
from tests.paths import ROOT

Files = Mapping[str, bytes]
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


def handed_in(number: int) -> Files:
    """Return one student's files: in ten ways, six students each."""
    text = SOLUTION + f"\n# student {number}\n".encode()
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


CLASS = {f"student{number:02}": handed_in(number) for number in range(STUDENTS)}
Built = Iterator[tuple[str, bytes]]  # paths below the folder of submissions, and what they hold


def folder() -> Built:
    for student, files in CLASS.items():
        yield from ((f"{student}/{name}", data) for name, data in files.items())


def zips() -> Built:
    yield from ((f"{student}.zip", packed(files)) for student, files in CLASS.items())


def a_zip_in_each_folder() -> Built:
    yield from ((f"{student}/{student}.zip", packed(files)) for student, files in CLASS.items())


def nbgrader() -> Built:
    yield from ((f"submitted/{s}/bahdanau/{name}", data) for s, files in CLASS.items() for name, data in files.items())


def gradescope() -> Built:
    lines = []
    for number, (student, files) in enumerate(CLASS.items(), start=1):
        lines += [f"submission_{number}:", "  :submitters:", f"  - :name: S\n    :sid: '{student}'"]
        yield from ((f"submission_{number}/{name}", data) for name, data in files.items())
    yield "submission_metadata.yml", "\n".join(lines).encode()


def canvas() -> Built:
    upload = 5000
    for number, (student, files) in enumerate(CLASS.items()):
        for name, data in files.items():
            upload += 1
            late = "_LATE" if number % 7 == 0 else ""
            yield f"{student}{late}_{100 + number}_{upload}_{name}", data


def moodle() -> Built:
    for number, (student, files) in enumerate(CLASS.items()):
        yield from ((f"{student}_{number}_assignsubmission_file/{name}", data) for name, data in files.items())


def moodle_with_texts() -> Built:
    yield from moodle()
    for number, student in enumerate(CLASS):
        yield f"{student}_{number}_assignsubmission_onlinetext/onlinetext.html", b"<p>see file</p>"


def moodle_flat() -> Built:
    for number, (student, files) in enumerate(CLASS.items()):
        yield from ((f"{student}_{number}_assignsubmission_file_{name}", data) for name, data in files.items())


def clones() -> Built:
    for student, files in CLASS.items():
        starters = {"README.md": b"# Bahdanau", "test_bahdanau.py": b"", ".git/config": b"[core]"}
        yield from ((f"hw1-{student}/{name}", data) for name, data in {**starters, **files}.items())


LAYOUTS: tuple[Callable[[], Built], ...] = (
    *(zips, a_zip_in_each_folder, nbgrader, gradescope, canvas),
    *(moodle, moodle_with_texts, moodle_flat, clones),
)


def found(path: Path) -> dict[str, tuple[str, str]]:
    """Return status and identity of each student's work; students by the number in their names."""
    with opened(path) as place:
        works = {entry.student: read(entry, "bahdanau") for entry in discover(place, "bahdanau")}
    known = {name[name.index("student") :][: len("student00")]: work for name, work in works.items()}
    assert len(known) == len(works)
    return {student: (work.status, work.digest) for student, work in known.items()}


def written(root: Path, built: Built) -> Path:
    for name, data in built:
        (root / name).parent.mkdir(parents=True, exist_ok=True)
        (root / name).write_bytes(data)
    return root


@pytest.fixture(scope="module")
def expected(tmp_path_factory: pytest.TempPathFactory) -> dict[str, tuple[str, str]]:
    works = found(written(tmp_path_factory.mktemp("folder"), folder()))
    counts = [sum(status == one for status, _ in works.values()) for one in ("ready", "missing", "unreadable")]
    assert counts == [42, 12, 6]
    return works


@pytest.mark.parametrize("layout", LAYOUTS, ids=lambda layout: layout.__name__)
def test_every_layout_gives_the_same_works(
    layout: Callable[[], Built], expected: dict[str, tuple[str, str]], tmp_path: Path
) -> None:
    assert found(written(tmp_path / "class", layout())) == expected


def test_so_does_the_zip_of_a_class(expected: dict[str, tuple[str, str]], tmp_path: Path) -> None:
    (tmp_path / "export.zip").write_bytes(packed({f"class/{name}": data for name, data in zips()}))
    assert found(tmp_path / "export.zip") == expected
