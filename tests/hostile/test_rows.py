"""Each row of the second attack's table fails: alone and in a class, on Gradescope's layout and through nbgrader.

``test_ordinary_user.py`` runs this file again as an ordinary user.
"""

from __future__ import annotations

import csv
import json
import os
import re
import subprocess
import sys
from collections.abc import Iterator
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import pytest

from autograder import model
from autograder.runs import results
from tests.hostile import attack_rows, signs
from tests.hostile.arena import LIMITS
from tests.hostile.attack_rows import Class
from tests.hostile.platform_helpers import gradescope_export, nbgrader_course
from tests.hostile.test_memory import GRADE, GRADER
from tests.integrations.nbgrader.class_helpers import done, nbgrader
from tests.paths import ROOT

pytestmark = pytest.mark.skipif(sys.platform != "linux", reason="Linux only")
thorough = pytest.mark.thorough

ASSIGNMENTS = ("masking", "bahdanau")
# Those of masking mostly wait, and try no clock. Their answers keep the usual limits, which are what some of them try.
SHORT = {"case_seconds": LIMITS.case_seconds, "submission_seconds": LIMITS.submission_seconds}
SECONDS: dict[str, dict[str, float]] = {"masking": SHORT, "bahdanau": {}}
OPTIONS = {"masking": ["--no-timing"], "bahdanau": []}


def grade(assignment: str, submissions: Path, out: Path) -> None:
    """``attngrade grade``, in a process whose memory is measured."""
    limits = [f"--limit={name}={value}" for name, value in SECONDS[assignment].items()]
    measured("grade", submissions, "-a", assignment, "-o", out, "-j", "1", *OPTIONS[assignment], *limits)


def measured(*words: object) -> None:
    """A command of ours, which must end well and take little memory itself."""
    environment = os.environ | {"PYTHONPATH": str(ROOT)}
    command = [sys.executable, "-c", GRADE, *map(str, words)]
    ran = subprocess.run(command, cwd=ROOT, env=environment, capture_output=True, text=True, timeout=900)
    assert ran.returncode == 0, ran.stdout + ran.stderr
    assert (found := re.search(r"peak (\d+)", ran.stdout))
    assert int(found[1]) / 1024 < GRADER, found[0]


def write(place: Path, assignment: str, works: Class) -> None:
    """A folder for each student."""
    for student, work in works.items():
        (place / student).mkdir(parents=True)
        (place / student / f"{assignment}.py").write_bytes(work.data)


def judge(out: Path, works: Class) -> None:
    """A run's own results: an attack gains nothing and costs nobody else a point."""
    grades = {grade.student: grade for grade in map(results.read_result, (out / "results").glob("*.json"))}
    assert grades.keys() == works.keys()
    trouble = [f"{works[name].row} {name}: {what}" for name in works for what in wrong(grades[name], works[name])]
    assert not trouble, "\n".join(trouble)
    assert not list(signs.in_files(out))


def wrong(grade: model.Grade, work: attack_rows.Work) -> Iterator[str]:
    if grade.status not in ("graded", "partial", "import-error"):
        yield f"{grade.status}: {grade.message}"
        return
    if not work.row and grade.score != grade.max_score:
        yield f"{grade.score} of {grade.max_score}, honest: {[c.message for c in grade.checks if c.status != 'passed']}"
    if grade.score is None or grade.score > work.most:
        yield f"{grade.score} points"
    passed = {check.id for check in grade.checks if check.status in ("passed", "skipped")}
    yield from (f"{name} was passed" for name in work.lost if name in passed)


ALONE = [(name, student) for name in ASSIGNMENTS for student in attack_rows.hostile(name)]


@pytest.mark.nightly
@pytest.mark.parametrize(("assignment", "student"), ALONE, ids=[student for _, student in ALONE])
def test_alone(assignment: str, student: str, tmp_path: Path) -> None:
    works = {student: attack_rows.hostile(assignment)[student]}
    write(tmp_path / "class", assignment, works)
    grade(assignment, tmp_path / "class", tmp_path / "out")
    judge(tmp_path / "out", works)


@pytest.fixture(params=ASSIGNMENTS)
def assignment(request: pytest.FixtureRequest) -> str:
    return str(request.param)


@pytest.fixture
def works(assignment: str) -> Class:
    """All, between two honest students."""
    first, last = attack_rows.honest(assignment).items()
    return dict([first, *attack_rows.hostile(assignment).items(), last])


@thorough
def test_in_a_class(assignment: str, works: Class, tmp_path: Path) -> None:
    write(tmp_path / "class", assignment, works)
    grade(assignment, tmp_path / "class", tmp_path / "out")
    judge(tmp_path / "out", works)


@thorough
@pytest.mark.parametrize("assignment", ["masking", pytest.param("bahdanau", marks=pytest.mark.nightly)], indirect=True)
def test_in_gradescopes_layout(assignment: str, works: Class, tmp_path: Path) -> None:
    export, out = tmp_path / "export", tmp_path / "out"
    gradescope_export(export, assignment, dict.fromkeys(works, ""))
    for number, work in enumerate(works.values()):
        (export / f"submission_{number}" / f"{assignment}.py").write_bytes(work.data)
    grade(assignment, export, out)
    judge(out, works)
    done("attngrade", "export", out, "--to", "gradescope", "-o", tmp_path / "shown", cwd=tmp_path)
    files = {path.parent.name: path.read_text() for path in (tmp_path / "shown").rglob("results.json")}
    assert files.keys() == works.keys()
    for student, text in files.items():
        assert not list(signs.stolen(text)), student
        shown: dict[str, Any] = json.loads(text)
        assert shown["score"] <= works[student].most, student
        assert works[student].row or shown["score"] == 100, student


@pytest.mark.nightly
@pytest.mark.skipif(not find_spec("nbgrader"), reason="nbgrader is not installed: pip install -e '.[nbgrader]'")
def test_in_nbgrader(assignment: str, works: Class, tmp_path: Path) -> None:
    """Notebooks; and scripts where a script's encoding is what was tried, or a line that no notebook's cell runs."""
    course = tmp_path / "course"
    scripts = {student: work for student, work in works.items() if work.row in ("R3", "R11")}
    texts = {student: work.data.decode() for student, work in works.items() if student not in scripts}
    nbgrader_course(course, assignment, texts, f"c.AttnGrade.limits = {SECONDS[assignment]}\n")
    for student, work in scripts.items():
        folder = course / "submitted" / student / assignment
        folder.mkdir(parents=True)
        (folder / f"{assignment}.py").write_bytes(work.data)
    measured("nbgrader", "grade", course, assignment, "-j", "1", *OPTIONS[assignment])
    judge(course / "attngrade" / assignment, works)
    nbgrader(["generate_feedback", assignment], ["export"], cwd=course)
    with (course / "grades.csv").open(newline="", encoding="utf-8") as file:
        scores = {row["student_id"]: float(row["score"]) for row in csv.DictReader(file)}
    for student, work in works.items():
        assert scores[student] <= work.most, student
        assert work.row or scores[student] == 100, student
        page = (course / "feedback" / student / assignment / f"{assignment}.html").read_text()
        assert not list(signs.stolen(page)), student
