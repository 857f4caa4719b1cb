"""``attngrade grade --roster``: students without a submission get a row, and strangers are listed."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator
from pathlib import Path

import pytest

from autograder import model
from autograder.runs import pool, results
from tests.command_helpers import Run
from tests.integrations.export.export_helpers import table

ROSTER = "Student ID,Name,Email\nana,Ana Lima,ana@x.edu\ns-2,Bo Li,bo@x.edu\nzoe,Zoe Au,zoe@x.edu\nb1,Bea,bea@x.edu\n"


@pytest.fixture
def course(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A folder with submissions and a roster. The grading is replaced."""

    def grade_all(
        plan: pool.RunPlan, submissions: Iterable[model.Submission], jobs: int
    ) -> Iterator[tuple[model.Submission, model.Grade]]:
        for one in submissions:
            status: model.GradeStatus = "graded" if one.status == "ready" else one.status
            yield one, model.Grade(one.student, plan.assignment, 0.0, 100.0, status, (), {}, message=one.note)

    monkeypatch.setattr(pool, "grade_all", grade_all)
    for name in ("ana", "BO", "stranger", "Bea", "BEA"):
        (tmp_path / "in" / name).mkdir(parents=True)
        (tmp_path / "in" / name / "bahdanau.py").write_text(f"# {name}")
    (tmp_path / "roster.csv").write_text(ROSTER)
    return tmp_path


def graded(course: Path, run: Run, *more: object) -> tuple[int, str, str]:
    return run("grade", course / "in", "-a", "bahdanau", "-o", course / "out", "-j", 1, *more)


def test_non_submitters_get_a_row_and_strangers_a_word(course: Path, run: Run) -> None:
    status, _, err = graded(course, run, "--roster", course / "roster.csv")
    rows = {row["student"]: row["status"] for row in table(course / "out" / "grades.csv")}
    assert rows == {
        "ana": "graded",
        "BO": "graded",
        "stranger": "graded",
        "zoe": "missing",
        "Bea": "graded",
        "BEA": "graded",
    }
    assert results.read_result(course / "out" / "results" / "zoe.json").message == "handed nothing in"
    assert "1 of 4 on the roster handed nothing in: Zoe Au" in err
    assert "1 are not on the roster: stranger" in err
    assert "BEA may be Bea (b1)" in err
    assert "Bea may be Bea" in err
    assert status == 0


def test_a_program_reads_the_same(course: Path, run: Run) -> None:
    _, out, _ = graded(course, run, "--roster", course / "roster.csv", "--json")
    done = json.loads(out)
    assert (done["absent"], done["unmatched"], done["ambiguous"]) == (["zoe"], ["stranger"], ["BEA", "Bea"])
    assert done["students"] == 6


def test_who_hands_in_later_is_graded_and_the_others_stay(course: Path, run: Run) -> None:
    graded(course, run, "--roster", course / "roster.csv")
    (course / "in" / "zoe.py").write_text("# late")
    graded(course, run, "--roster", course / "roster.csv", "--resume")
    rows = {row["student"]: row["status"] for row in table(course / "out" / "grades.csv")}
    assert (rows["zoe"], len(rows)) == ("graded", 6)


def test_a_roster_that_is_none_stops_before_anything_is_written(course: Path, run: Run) -> None:
    (course / "roster.csv").write_text("Shoe\n1\n")
    status, _, err = graded(course, run, "--roster", course / "roster.csv")
    assert status == 2
    assert "found 'Shoe'" in err
    assert not (course / "out").exists()


def test_without_a_roster_nothing_is_said(course: Path, run: Run) -> None:
    _, out, err = graded(course, run, "--json")
    assert "roster" not in err
    assert "absent" not in json.loads(out)
