"""Bad inputs all in one class, with honest students between, through the real command: nobody is lost, doubled or given
another's grade, nothing is written outside the output folder, and nothing raw reaches a report."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import unicodedata
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

import pytest

from autograder import model
from autograder.cli import app
from autograder.integrations import export
from autograder.runs import pool, results
from autograder.runs.grades_csv import guarded
from tests.hostile.signs import without_ours
from tests.hostile.submissions.inputs import INPUTS, SOLUTION, Bad

from .planted import TOPIC, clear, ids, rows, snapshot

pytestmark = pytest.mark.thorough  # each of them alone is an everyday test

HONEST = 6


class Class(NamedTuple):
    """A class that was graded by the real command."""

    out: Path
    said: str
    status: int
    strays: set[str]


@pytest.fixture(scope="module")
def graded(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Class]:
    """All of them."""
    place = tmp_path_factory.mktemp("hostile")
    subs = place / "subs"
    subs.mkdir()
    step = len(INPUTS) // HONEST + 1
    for number, (name, each) in enumerate(INPUTS.items()):
        if number % step == 0:
            (subs / f"honest-{number // step}.py").write_bytes(SOLUTION)
        each.plant(subs, name)
    before = set(snapshot(place))
    command = [sys.executable, "-m", "autograder", "grade", str(subs), "-a", TOPIC, "-o", str(place / "out"), "-j2"]
    done = subprocess.run(
        command, capture_output=True, timeout=1800, cwd=place, env={**os.environ, "PYTHONPATH": import_path()}
    )
    said = (done.stdout + done.stderr).decode("utf-8", "replace")
    strays = {path for path in set(snapshot(place)) - before if not path.startswith(str(place / "out"))}
    yield Class(place / "out", said, done.returncode, strays)
    clear(subs)


def import_path() -> str:
    """Ours, and what the tests themselves were started with."""
    ours = str(Path(app.__file__).resolve().parents[1])
    return os.pathsep.join(filter(None, (ours, os.environ.get("PYTHONPATH"))))


def test_nobody_is_lost_doubled_or_misjudged(graded: Class) -> None:
    assert graded.status == 0, graded.said[-2000:]
    assert "Traceback" not in graded.said
    found: dict[str, model.Grade] = {}
    for path in (graded.out / "results").iterdir():
        grade = json.loads(path.read_text(encoding="utf-8"))
        assert grade["student"] not in found
        found[grade["student"]] = grade
    expected = {student: bad for name, bad in INPUTS.items() for student in ids(name, bad)}
    honest = {student for student in found if student.startswith("honest-")}
    assert set(found) - honest == set(expected)
    assert len(honest) == HONEST
    trouble = []
    for student, grade in found.items():
        want = expected.get(student, Bad(lambda *_: None, "graded", "", 100))
        if (grade["status"], grade["score"]) != (want.status, want.score) or want.says not in grade["message"]:
            trouble.append((student, grade["status"], grade["score"], grade["message"][:200]))
    assert not trouble


def test_the_table_has_a_row_a_student(graded: Class) -> None:
    table = rows(graded.out)
    students = [student for name, bad in INPUTS.items() for student in ids(name, bad)]
    assert len(table) == len(students) + HONEST
    assert len({row["student"] for row in table}) == len(table)
    assert "infrastructure-error" not in {row["status"] for row in table}
    for row in table:
        for cell in row.values():
            assert not cell.startswith(("=", "+", "-", "@", "\t", "\r")) or cell.lstrip("-+").isdigit()


def test_nothing_raw_reaches_a_report(graded: Class) -> None:
    for path in (graded.out / "report").rglob("*.html"):
        page = without_ours(path.read_text(encoding="utf-8"))
        assert "<script" not in page.lower()
        assert "onmouseover='" not in page
        assert raw(page) == set()
    assert raw(graded.said) == set()
    for path in (graded.out / "results").iterdir():
        assert raw(path.read_text(encoding="utf-8")) == set()
        for check in (grade := json.loads(path.read_bytes()))["checks"]:
            assert raw(check["message"]) == set()
        assert raw(grade["message"]) == set()


def test_nothing_raw_reaches_the_table_or_an_export(
    graded: Class, tmp_path: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    table = (graded.out / "grades.csv").read_bytes().decode()
    assert raw(table.replace("\r\n", "\n")) == set()
    students = {student for name, bad in INPUTS.items() for student in ids(name, bad)}
    assert {guarded(student) for student in students} <= {row["student"] for row in rows(graded.out)}
    for name, format in export.FORMATS.items():
        if not format.edits_roster:
            assert app.run(["export", str(graded.out), "--to", name, "-o", str(tmp_path / name)]) == 0
            for path in [*(tmp_path / name).rglob("*"), tmp_path / name]:
                if path.is_file():
                    assert raw(path.read_bytes().decode().replace("\r\n", "\n")) == set(), path
    said = capfd.readouterr()
    assert raw(said.out + said.err) == set()


def raw(text: str) -> set[str]:
    """Characters that steer a terminal or turn a line around; but for the joiners of honest names."""
    unsafe = ("Cc", "Cf", "Cs", "Zl", "Zp")
    return {c for c in text if unicodedata.category(c) in unsafe and c not in "\n\u200d"}


def test_nothing_is_written_elsewhere(graded: Class) -> None:
    assert graded.strays == set()
    names = {path.name for path in graded.out.iterdir()}
    assert names == {"grades.csv", "results", "report", "journal.sqlite", ".lock"}


def test_a_terminal_that_lacks_the_letters_of_a_name_gets_escapes(tmp_path: Path) -> None:
    student = "zoë😀\x1b[2J\u202e"
    results.write_result(
        tmp_path / "results", pool.infrastructure_error(model.Submission(student, "ready"), TOPIC, OSError())
    )
    shown = "zoë😀\\u001b[2J\\u202e"  # as the table has it
    for name in (student, shown):
        done = subprocess.run(
            [sys.executable, "-m", "autograder", "show", str(tmp_path), name],
            capture_output=True,
            timeout=120,
            env={**os.environ, "PYTHONPATH": import_path(), "PYTHONIOENCODING": "ascii"},
        )
        assert done.returncode == 0, done.stderr.decode()
        assert b"zo\\xeb\\U0001f600\\u001b[2J\\u202e" in done.stdout
        assert raw(done.stdout.decode("ascii")) == set()
