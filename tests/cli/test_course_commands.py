"""What is done with a graded class works on an assignment of a course's own, and says how to find it where it is not
named."""

from __future__ import annotations

import csv
import json
import os
import subprocess
import sys
from pathlib import Path
from typing import NamedTuple

import pytest

from tests.cli.author_course import NAME, attngrade, made
from tests.paths import ROOT

WRONG = "key = key / key.norm(dim=-1, keepdim=True)"
CHECK = "cosine-scores-values"
CAUSE = "not-normalised"
SENTENCE = "The vectors are not normalised."
CANVAS = """\
Student,ID,SIS User ID,SIS Login ID,Section,Cosine (7001),Other (7002)
    Points Possible,,,,,50.00,10.00
"Byron, Ana",101,,ana,CS,,
"Ode, Bo",102,,bo,CS,,
"""
MOODLE = """\
Identifier,ID number,Full name,Email address,Status,Grade,Maximum Grade,Grade can be changed,\
Last modified (submission),Last modified (grade),Feedback comments
Participant 501,ana,Ana Byron,ana@x.edu,-,,50.00,Yes,-,-,
Participant 502,bo,Bo Ode,bo@x.edu,-,,50.00,Yes,-,-,
"""


class Class(NamedTuple):
    """A course, the submissions of two students, and the graded folder."""

    course: Path
    works: Path
    out: Path


@pytest.fixture(scope="module")
def graded(tmp_path_factory: pytest.TempPathFactory) -> Class:
    """The course's one function returns weights, and one of its checks is about speed."""
    base = tmp_path_factory.mktemp("commands")
    checks = 'shapes(COSINE, 5), speed(COSINE, 5, "T_k", at=400), gradients(COSINE, 5))'
    folder = made(base / "course", {"checks.py": ("shapes(COSINE, 5), gradients(COSINE, 10))", checks)})
    text = (folder / "checks.py").read_text().replace('"scores": "B T_q T_k"', '"weights": "B T_q T_k"')
    (folder / "checks.py").write_text(text.replace("signature, values", "signature, speed, values"))
    solution = (folder / "solution.py").read_text()
    (base / "in").mkdir()
    (base / "in" / "ana.py").write_text(solution)
    unnormalised = solution.replace("query = query / query.norm(dim=-1, keepdim=True)", "").replace(WRONG, "")
    (base / "in" / "bo.py").write_text(unnormalised)
    assert attngrade(base / "course", "author", "build").returncode == 0
    done = attngrade(base / "course", "grade", base / "in", "-a", NAME, "-o", base / "out")
    assert done.returncode == 0, done.stderr
    return Class(base / "course", base / "in", base / "out")


def said(graded: Class, *words: object) -> str:
    """Return what a command prints that must end well."""
    done = attngrade(graded.course, *words)
    assert done.returncode == 0, done.stderr
    return done.stdout


def test_the_speed_of_a_course_is_judged_against_its_reference(graded: Class) -> None:
    results = {name: json.loads((graded.out / "results" / f"{name}.json").read_text()) for name in ("ana", "bo")}
    (speed,) = (check for check in results["ana"]["checks"] if check["kind"] == "timing")
    assert speed["status"] in ("passed", "failed")  # not skipped: there was a reference to compare with
    assert "times the reference's CPU time" in speed["message"]
    assert results["bo"]["checks"][1]["diagnosis"] == CAUSE


@pytest.mark.parametrize(
    "words",
    [
        ("regrade", "OUT"),
        ("repro", "OUT", "bo", CHECK),
        ("feedback", "OUT", "-o", "BACK"),
        ("export", "OUT", "--to", "csv"),
        ("check", "WORKS", "-a", NAME),
    ],
)
def test_without_the_course_the_error_says_how_to_name_it(
    graded: Class, words: tuple[str, ...], tmp_path: Path
) -> None:
    known = {"OUT": graded.out, "WORKS": graded.works, "BACK": tmp_path / "back"}
    command = [sys.executable, "-m", "autograder", *(str(known.get(word, word)) for word in words)]
    environment = os.environ | {"PYTHONPATH": str(ROOT), "ATTNGRADE_COURSE": ""}
    done = subprocess.run(command, cwd=tmp_path, env=environment, capture_output=True, text=True, check=False)
    assert (done.returncode, done.stdout) == (2, "")
    assert f"'{NAME}'" in done.stderr
    assert "name its folder with --course or ATTNGRADE_COURSE" in done.stderr


@pytest.mark.thorough
class TestOfAClass:
    """The same commands, with the course."""

    def test_a_resumed_run_grades_only_who_is_new(self, graded: Class, tmp_path: Path) -> None:
        works = tmp_path / "in"
        works.mkdir()
        for work in graded.works.iterdir():
            (works / work.name).write_bytes(work.read_bytes())
        grade = ("grade", works, "-a", NAME, "-o", tmp_path / "out", "--no-timing")
        said(graded, *grade)
        (works / "cy.py").write_text("")
        assert "3 graded, 2 of them from the earlier run" in said(graded, *grade, "--resume")

    def test_reports_and_differences(self, graded: Class, tmp_path: Path) -> None:
        assert SENTENCE in said(graded, "show", graded.out, "bo")
        assert CAUSE in said(graded, "diff", graded.out, "ana", "bo")
        assert "Nothing has changed." in said(graded, "regrade", graded.out)
        said(graded, "report", graded.out)
        assert "Cosine" in (graded.out / "report" / "index.html").read_text()
        said(graded, "feedback", graded.out, "-o", tmp_path / "back")
        assert any(SENTENCE in path.read_text() for path in (tmp_path / "back").rglob("*.html"))

    def test_a_check_as_a_script_shows_the_mistake(self, graded: Class, tmp_path: Path) -> None:
        words = [
            sys.executable,
            "-m",
            "autograder",
            "repro",
            str(graded.out),
            "bo",
            CHECK,
            "--course",
            str(graded.course),
        ]
        environment = os.environ | {"PYTHONPATH": str(ROOT)}
        subprocess.run(words, cwd=tmp_path, env=environment, capture_output=True, text=True, check=True)
        script = subprocess.run(
            [sys.executable, f"repro-bo-{CHECK}.py"], cwd=tmp_path, capture_output=True, text=True, check=False
        )
        assert "weights" in script.stdout
        assert "expected" in script.stdout

    def test_exports(self, graded: Class, tmp_path: Path) -> None:
        (tmp_path / "canvas.csv").write_text(CANVAS)
        (tmp_path / "moodle.csv").write_text(MOODLE)
        for to in ("gradescope", "csv", "junit", "ctrf", "nbgrader", "otter"):
            said(graded, "export", graded.out, "--to", to, "-o", tmp_path / to)
            assert (tmp_path / to).exists()
        for to in ("canvas", "moodle"):
            roster = tmp_path / f"{to}.csv"
            said(graded, "export", graded.out, "--to", to, "--roster", roster, "-o", tmp_path / f"{to}-out.csv")
        with (tmp_path / "canvas-out.csv").open(encoding="utf-8-sig", newline="") as file:
            marks = {row["Student"]: row["Cosine (7001)"] for row in csv.DictReader(file)}
        assert marks["Byron, Ana"] == "50"
        assert 0 < float(marks["Ode, Bo"]) < 50
        with (tmp_path / "moodle-out.csv").open(encoding="utf-8-sig", newline="") as file:
            assert [row["Grade"] for row in csv.DictReader(file)] == [marks["Byron, Ana"], marks["Ode, Bo"]]

    def test_what_students_use(self, graded: Class, tmp_path: Path) -> None:
        drawn = said(graded, "show-weights", graded.works / "ana.py", "-a", NAME)
        assert "rows T_q, columns T_k" in drawn
        said(graded, "bench", NAME, graded.works / "ana.py", "-o", tmp_path, "--rounds", "3")
        with (tmp_path / f"bench-{NAME}.csv").open(newline="") as file:
            assert {row["who"] for row in csv.DictReader(file)} == {"reference", "student"}


@pytest.mark.thorough
def test_where_there_is_nothing_to_draw_or_measure_that_is_said(tmp_path: Path) -> None:
    folder = made(tmp_path / "course")
    assert attngrade(folder.parent, "author", "build").returncode == 0
    (tmp_path / "ana.py").write_text((folder / "solution.py").read_text())
    drawn = attngrade(folder.parent, "show-weights", tmp_path / "ana.py", "-a", NAME)
    assert (drawn.returncode, drawn.stdout) == (2, "")
    assert f"{NAME}: no function here returns attention weights" in drawn.stderr
    measured = attngrade(folder.parent, "bench", NAME)
    assert (measured.returncode, measured.stdout) == (2, "")
    assert f"{NAME} has no check of speed" in measured.stderr
