"""Folders that look like a run's, and names that steer a terminal: on Gradescope's layout and through nbgrader.

``test_inputs.py`` and ``test_inputs_together.py`` hand the same in as plain folders.
"""

from __future__ import annotations

import json
import sys
from collections.abc import Callable
from importlib.util import find_spec
from pathlib import Path

import pytest

from autograder.intake.names import printable_ids
from autograder.integrations import export
from autograder.model.text import visible
from autograder.runs import results
from tests.hostile.platform_helpers import nbgrader_course
from tests.hostile.test_inputs_together import raw
from tests.integrations.nbgrader.class_helpers import done, nbgrader
from tests.paths import ROOT

pytestmark = [pytest.mark.skipif(sys.platform != "linux", reason="Linux only"), pytest.mark.thorough]

ASSIGNMENT = "bahdanau"
SOLUTION = (ROOT / "solutions" / ASSIGNMENT / f"{ASSIGNMENT}.py").read_bytes()
HONEST = ("aa_honest", "zz_honest")
STEERING = ("eve\x1b[2J\x1b]0;title\x07", "\u202eevil.exe", "\x9b31m\x7f", "a\u2066b\u2028c\u200b")


def like_a_run(folder: Path) -> None:
    """What an output folder holds, with the mark of one, and no work."""
    (folder / "results").mkdir(parents=True)
    (folder / "journal.sqlite").write_bytes(b"")
    (folder / "grades.csv").write_text("student,score\neve,100\n")
    (folder / ".lock").write_text("\n".join(f"folder {number}" for number in range(2, 100)))


def like_a_run_with_work(folder: Path) -> None:
    like_a_run(folder)
    (folder / f"{ASSIGNMENT}.py").write_bytes(SOLUTION + b"\n# beside a journal\n")


def work(folder: Path) -> None:
    folder.mkdir(parents=True, exist_ok=True)
    (folder / f"{ASSIGNMENT}.py").write_bytes(SOLUTION + f"\n# {folder!a}\n".encode())


def rows(out: Path) -> dict[str, tuple[str, float | None, str]]:
    """Status, score and message by student."""
    grades = [results.read_result(path) for path in (out / "results").glob("*.json")]
    return {grade.student: (grade.status, grade.score, grade.message) for grade in grades}


def gradescope(place: Path, students: dict[str, Callable[[Path], None]]) -> str:
    """Grades an export in which these students handed in. Returns what was said."""
    lines = []
    for number, (student, hand_in) in enumerate(students.items()):
        hand_in(place / "export" / f"submission_{number}")
        who = json.dumps(student)  # YAML, too
        lines.append(f"submission_{number}:\n  :submitters:\n  - :name: {who}\n    :sid: {who}\n")
    (place / "export" / "submission_metadata.yml").write_text("".join(lines))
    return done("attngrade", "grade", "export", "-a", ASSIGNMENT, "-o", "out", "-j", "2", "--no-timing", cwd=place)


def course(place: Path, students: dict[str, Callable[[Path], None]]) -> str:
    """Grades a course of nbgrader's in which these students handed in. Returns what was said."""
    nbgrader_course(place / "course", ASSIGNMENT, {}, "c.AttnGrade.timing = False\n")
    for student, hand_in in students.items():
        hand_in(place / "course" / "submitted" / student / ASSIGNMENT)
    return done("attngrade", "nbgrader", "grade", "course", ASSIGNMENT, "-j", "2", cwd=place)


needs_nbgrader = pytest.mark.skipif(not find_spec("nbgrader"), reason="pip install -e '.[nbgrader]'")
PLATFORMS = [
    pytest.param(gradescope, "out", id="gradescope"),
    pytest.param(course, f"course/attngrade/{ASSIGNMENT}", id="nbgrader", marks=needs_nbgrader),
]


@pytest.mark.parametrize(("platform", "out"), PLATFORMS)
def test_a_folder_that_looks_like_a_run_has_a_row(
    platform: Callable[[Path, dict[str, Callable[[Path], None]]], str], out: str, tmp_path: Path
) -> None:
    students = dict.fromkeys(HONEST, work) | {"eve": like_a_run, "fay": like_a_run_with_work}
    said = platform(tmp_path, dict(sorted(students.items())))
    found = rows(tmp_path / out)
    assert {name: score for name, (_, score, _) in found.items()} == dict.fromkeys((*HONEST, "fay"), 100) | {"eve": 0}
    assert found["eve"][0] == "missing"
    assert f"expected {ASSIGNMENT}.py" in found["eve"][2]
    assert "output folder" not in said


@pytest.mark.parametrize(("platform", "out"), PLATFORMS)
def test_no_name_steers(
    platform: Callable[[Path, dict[str, Callable[[Path], None]]], str], out: str, tmp_path: Path
) -> None:
    said = platform(tmp_path, dict.fromkeys((HONEST[0], *STEERING, HONEST[1]), work))
    found = rows(tmp_path / out)
    assert found.keys() == {*HONEST, *printable_ids(STEERING).values()}
    assert {score for _, score, _ in found.values()} == {100}
    assert raw(said) == set()
    table = (tmp_path / out / "grades.csv").read_bytes().decode().replace("\r\n", "\n")
    page = (tmp_path / out / "report" / "index.html").read_text(encoding="utf-8")
    assert raw(table) == raw(page) == set()
    assert all(visible(student) in table for student in STEERING)
    for name, format in export.FORMATS.items():
        if not format.edits_roster:
            target = tmp_path / f"to-{name}"
            words = done("attngrade", "export", tmp_path / out, "--to", name, "-o", target, cwd=tmp_path)
            assert raw(words) == set(), name
            for path in [target, *target.rglob("*")]:
                assert raw(path.name) == set(), name
                assert not path.is_file() or raw(path.read_bytes().decode().replace("\r\n", "\n")) == set(), path


@needs_nbgrader
def test_nbgraders_own_feedback_comes_for_steering_names(tmp_path: Path) -> None:
    """Its pages lie in folders of these names. None stops the others. nbgrader takes a name for a pattern of files, so
    it finds no work of a student whose name has a bracket."""
    course(tmp_path, dict.fromkeys((HONEST[0], *STEERING[:2], HONEST[1]), work))
    nbgrader(["generate_feedback", ASSIGNMENT], cwd=tmp_path / "course")
    pages = {path.parts[-3] for path in (tmp_path / "course" / "feedback").rglob(f"{ASSIGNMENT}.html")}
    assert pages == {name for name in (*HONEST, *STEERING[:2]) if "[" not in name}
