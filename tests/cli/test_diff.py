"""``attngrade diff``: two students, or two attempts."""

from __future__ import annotations

import json
from collections.abc import Sequence
from pathlib import Path

import msgspec
import pytest

from autograder import model
from autograder.grading import fingerprints
from autograder.intake import discover, read
from autograder.runs import history, results
from autograder.runs.run_folder import RunFolder
from tests.command_helpers import Run

TEXTS = {"ana": "first = 1\nsame = 2\n", "bo": "first = 3\nsame = 2\n", "cy": "first = 1\nsame = 2\n"}


def outcome(id: str, points: float, part: str = "P", **more: str) -> model.Outcome:
    status = "passed" if points else "failed"
    return model.Outcome(id, id, "value", "public", status, points, 50.0, part=part, **more)  # type: ignore[arg-type]


def grade(student: str, *checks: model.Outcome) -> model.Grade:
    return model.Grade(student, "bahdanau", sum(check.points for check in checks), 100.0, "graded", checks, {})


RIGHT = (outcome("one", 50.0), outcome("two", 50.0, "Q"))
WRONG = (RIGHT[0], outcome("two", 0.0, "Q", message="wrong <b>\x1b[31m", diagnosis="missing-tanh"))


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """Three graded students: ana and cy are right, bo is wrong."""
    (tmp_path / "in").mkdir()
    for student, text in TEXTS.items():
        (tmp_path / "in" / f"{student}.py").write_text(text)
    given(tmp_path, {"ana": RIGHT, "bo": WRONG, "cy": RIGHT})
    return tmp_path


def given(folder: Path, grades: dict[str, Sequence[model.Outcome]], resume: bool = True) -> None:
    """Give students these grades for what they have handed in."""
    entries = {entry.student: entry for entry in discover(folder / "in", "bahdanau")}
    run = RunFolder(folder / "out", "bahdanau", resume=resume)
    run.journal.note("submissions", str(folder / "in"))
    for student, checks in grades.items():
        run.save(grade(student, *checks), fingerprints.of_submission(read(entries[student], "bahdanau")), "run")
    run.close()


def found(run: Run, folder: Path, *students: str) -> dict[str, object]:
    done = run("diff", folder / "out", *students, "--json")
    assert done.status == 0, done.err
    return json.loads(done.out)  # type: ignore[no-any-return]


def test_two_students(run: Run, folder: Path) -> None:
    difference = found(run, folder, "ana", "bo")
    assert (difference["by"], difference["parts"]) == (-50.0, [{"part": "Q", "first": 50.0, "second": 0.0}])
    (check,) = difference["checks"]  # type: ignore[misc]
    assert (check["id"], check["first"]["status"], check["second"]["diagnosis"]) == ("two", "passed", "missing-tanh")  # type: ignore[index]
    assert difference["code"] == ["--- ana", "+++ bo", "@@ -1,3 +1,3 @@", "-first = 1", "+first = 3", " same = 2", " "]
    shown = run("diff", folder / "out", "ana", "bo").out
    assert "missing-tanh" in shown
    assert "+first = 3" in shown
    assert "bo, two: wrong <b>\\u001b[31m" in shown
    assert "\x1b" not in shown


def test_decisions_of_people_are_shown_as_final_scores(run: Run, folder: Path) -> None:
    assert "final" not in run("diff", folder / "out", "ana", "cy").out
    assert run("adjust", folder / "out", "cy", "-7.5", "--reason", "late talk").status == 0
    shown = run("diff", folder / "out", "ana", "cy").out
    assert "final" in shown
    assert "92.50" in shown
    assert "No check differs." not in shown
    first, second = (found(run, folder, "ana", "cy")[side] for side in ("first", "second"))
    assert (first["final"], second["final"]) == (100.0, 92.5)  # type: ignore[index]
    assert run("diff", folder / "out", "ana", "cy", "--html", folder / "page.html").status == 0
    assert "100.00 / 100<br>final 92.50" in (folder / "page.html").read_text()


def test_the_same_work(run: Run, folder: Path) -> None:
    difference = found(run, folder, "ana", "cy")
    assert (difference["parts"], difference["checks"], difference["code"]) == ([], [], [])
    assert difference["code_note"] == "The code is the same."
    assert "No check differs." in run("diff", folder / "out", "ana", "cy").out


def test_code_that_changed_since_is_not_shown_as_graded(run: Run, folder: Path) -> None:
    (folder / "in" / "bo.py").write_text("first = 4\n")
    difference = found(run, folder, "ana", "bo")
    assert difference["code"] == []
    assert "The code of bo as graded is not kept" in str(difference["code_note"])
    (folder / "in" / "bo.py").unlink()
    assert found(run, folder, "ana", "bo")["code"] == []


def test_submissions_that_are_gone_leave_the_marks(run: Run, folder: Path) -> None:
    (folder / "in").rename(folder / "moved")
    assert "there are no submissions at" in str(found(run, folder, "ana", "bo")["code_note"])
    moved = run("diff", folder / "out", "ana", "bo", "--submissions", folder / "moved", "--json")
    assert json.loads(moved.out)["code"][:2] == ["--- ana", "+++ bo"]
    assert run("diff", folder / "out", "ana", "bo", "--submissions", folder / "nowhere").status == 2


def test_two_attempts_in_one_run(run: Run, folder: Path) -> None:
    done = run("diff", folder / "out", "bo")
    assert (done.status, "has one grade only" in done.err) == (2, True)
    given(folder, {"bo": RIGHT})
    difference = found(run, folder, "bo")
    assert (difference["by"], difference["second"]["name"]) == (50.0, "now")  # type: ignore[index]
    assert "is not kept here" in str(difference["code_note"])


def test_two_attempts_in_two_runs(run: Run, folder: Path) -> None:
    given(folder, {"ana": RIGHT, "bo": RIGHT, "cy": RIGHT}, resume=False)
    difference = found(run, folder, "bo")
    assert difference["by"] == 50.0
    assert str(difference["first"]["name"]).startswith("until previous/")  # type: ignore[index]


def test_an_earlier_result_that_is_a_link_or_another_students_is_passed_over(run: Run, folder: Path) -> None:
    place = folder / "out" / "previous" / "2026-01-01T00-00-00" / "results"
    place.mkdir(parents=True)
    results.write_result(place, grade("ana", *RIGHT))
    (place / "ana.json").rename(place / "bo.json")
    (place / "cy.json").symlink_to(folder / "out" / "results" / "cy.json")
    assert run("diff", folder / "out", "bo").status == 2
    assert run("diff", folder / "out", "cy").status == 2


def test_unknown_students(run: Run, folder: Path) -> None:
    done = run("diff", folder / "out", "ana", "boo")
    assert done.status == 2
    assert "there is no student boo in this run; similar: bo" in done.err


def test_the_same_grade_again_is_no_attempt(folder: Path) -> None:
    again = msgspec.structs.replace(grade("bo", *WRONG), seconds=9.0)
    run = RunFolder(folder / "out", "bahdanau", resume=True)
    run.save(again, "work", "run")
    assert history.history(run.journal, "bo") == []
    run.close()
