"""``grade --only`` and ``regrade --only``: one student again, and nobody else."""

from __future__ import annotations

import json
import shutil
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from autograder import model
from autograder.grading import fingerprints
from autograder.runs import history, pool, results
from autograder.sandbox.availability import SandboxError
from tests.command_helpers import CommandResult, Run
from tests.grading_helpers import outcome

POINTS = {"first": 60.0, "second": 70.0, "third": 80.0}


@pytest.fixture
def graded(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """Replace the grading: a work earns what its text says. The list holds the students that are graded."""
    names: list[str] = []

    def grade_all(plan: pool.RunPlan, submissions: Any, jobs: int) -> Iterator[tuple[model.Submission, model.Grade]]:
        checks = pool.suite_of(plan).spec.checks
        for one in submissions:
            names.append(one.student)
            text = one.cells[0].decode()
            if "broken grader" in text:
                yield one, pool.infrastructure_error(one, plan.assignment, SandboxError("no"))
                continue
            outcomes = tuple(outcome(check, "passed", check.points) for check in checks)
            yield one, model.Grade(one.student, plan.assignment, POINTS[text], 100.0, "graded", outcomes, {})

    monkeypatch.setattr(pool, "grade_all", grade_all)
    return names


@pytest.fixture
def folder(tmp_path: Path, run: Run, graded: list[str]) -> Path:
    """Submissions (``in``) and their grades (``out``). Nothing counts as graded yet."""
    for name in ("ana", "anna", "bo", "=cmd"):
        place = tmp_path / "in" / name / "bahdanau.py"
        place.parent.mkdir(parents=True)
        place.write_text("first")
    assert grade(run, tmp_path).status == 0
    graded.clear()
    return tmp_path


def grade(run: Run, folder: Path, *more: object) -> CommandResult:
    given = (folder / "in", "-a", "bahdanau", "-o", folder / "out", "-j", 1, "--no-timing")
    return run("grade", *given, *more)


def hand_in(folder: Path, student: str, text: str) -> None:
    (folder / "in" / student).mkdir(exist_ok=True)
    (folder / "in" / student / "bahdanau.py").write_text(text)


def others(folder: Path, student: str) -> dict[str, Any]:
    """All that the output folder says of other students: bytes and times of results, journal rows, lines."""
    name = f"{results.file_name(student)}.json"
    files = {
        path.name: (path.read_bytes(), path.stat().st_mtime_ns)
        for path in (folder / "out" / "results").iterdir()
        if path.name != name
    }
    with history.untouched(folder / "out") as journal:
        rows = [row for row in journal.query("SELECT * FROM grade ORDER BY student") if row[0] != student]
        kept = journal.query("SELECT * FROM history WHERE student != ?", student)
        notes = journal.query("SELECT * FROM run ORDER BY key")
    lines = [line for line in (folder / "out" / "grades.csv").read_bytes().splitlines() if student.encode() not in line]
    return {"files": files, "rows": rows, "history": kept, "notes": notes, "lines": lines}


def score(folder: Path, student: str) -> float | None:
    return results.read_result(folder / "out" / "results" / f"{results.file_name(student)}.json").score


def test_only_this_student_is_graded_again_though_nothing_changed(folder: Path, run: Run, graded: list[str]) -> None:
    before = others(folder, "bo")
    done = grade(run, folder, "--only", "bo")
    assert (done.status, graded) == (0, ["bo"]), done.err
    assert others(folder, "bo") == before
    assert "bo" in done.out
    assert "anna" not in done.out


def test_a_new_attempt_replaces_one_grade_and_is_remembered(folder: Path, run: Run, graded: list[str]) -> None:
    for student in ("bo", "ana"):
        hand_in(folder, student, "second")
    before = others(folder, "bo")
    assert grade(run, folder, "--only", "bo").status == 0
    assert (graded, score(folder, "bo"), score(folder, "ana")) == (["bo"], 70.0, 60.0)
    assert others(folder, "bo") == before
    shown = json.loads(run("show", folder / "out", "bo", "--history", "--json").out)
    assert [one["grade"]["score"] for one in shown["history"]] == [60.0]
    assert shown["now"]["score"] == 70.0


def test_someone_new_joins_the_run_and_a_name_may_be_as_the_table_shows_it(
    folder: Path, run: Run, graded: list[str]
) -> None:
    hand_in(folder, "zoe", "third")
    assert grade(run, folder, "--only", "zoe", "--only", "'=cmd").status == 0
    assert graded == ["=cmd", "zoe"]
    assert score(folder, "zoe") == 80.0
    assert (folder / "out" / "grades.csv").read_text().count(",bahdanau,") == 5


def test_someone_else_elsewhere(folder: Path, run: Run) -> None:
    """A late work in another folder: whoever is not in that folder keeps grade and place."""
    late = folder / "late" / "in" / "bo"
    late.mkdir(parents=True)
    (late / "bahdanau.py").write_text("third")
    before = others(folder, "bo")
    given = (late.parent, "-a", "bahdanau", "-o", folder / "out", "-j", 1, "--no-timing", "--only", "bo")
    assert run("grade", *given).status == 0
    assert score(folder, "bo") == 80.0
    assert others(folder, "bo") == before


def test_a_fault_of_ours_leaves_the_earlier_grade(folder: Path, run: Run) -> None:
    hand_in(folder, "bo", "broken grader")
    done = grade(run, folder, "--only", "bo")
    assert (done.status, score(folder, "bo")) == (1, 60.0)
    assert "the earlier grade stays" in done.err


@pytest.mark.parametrize(
    ("more", "words"),
    [
        (("--only", "ann"), "there is no student ann in "),
        (("--only", "ann"), "similar: anna, ana"),
        (("--only", "bo", "--only", "nobody at all"), "there are 4 others"),
        (("--only", "bo", "--strict"), "strict off, not on"),
        (("--only", "bo", "--case-seconds", "2"), "case_seconds 6.0, not 2.0"),
    ],
)
def test_wrong_calls_change_nothing(
    folder: Path, run: Run, graded: list[str], more: tuple[str, ...], words: str
) -> None:
    before = others(folder, "nobody")
    done = grade(run, folder, *more)
    assert (done.status, graded) == (2, [])
    assert words in done.err
    assert others(folder, "nobody") == before


def test_without_a_run_there_is_nothing_to_join(folder: Path, run: Run, graded: list[str]) -> None:
    shutil.rmtree(folder / "out")
    done = grade(run, folder, "--only", "bo")
    assert (done.status, graded) == (2, [])
    assert "holds no journal of a run" in done.err
    assert not (folder / "out").exists()


def test_regrade_only(folder: Path, run: Run, graded: list[str], monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(fingerprints, "_code", lambda *_: "another version")
    monkeypatch.setitem(POINTS, "first", 50.0)
    pool.suite_of.cache_clear()
    try:
        everybody = json.loads(run("regrade", folder / "out", "--json", "-j", 1).out)  # proposed, not applied
        before = others(folder, "bo")
        done = run("regrade", folder / "out", "--only", "bo", "--apply", "--json", "-j", 1)
    finally:
        pool.suite_of.cache_clear()
    assert [one["student"] for one in everybody["changed"]] == ["=cmd", "ana", "anna", "bo"]
    found = json.loads(done.out)
    assert [one["student"] for one in found["changed"]] == ["bo"]
    assert (found["unchanged"], found["gone"], score(folder, "bo"), score(folder, "ana")) == (0, [], 50.0, 60.0)
    after = others(folder, "bo")
    new = set(after.pop("notes")) - set(before.pop("notes"))
    assert all(key.startswith("exam ") for key, _ in new)
    assert after == before


def test_regrade_only_knows_the_students_of_the_run(folder: Path, run: Run) -> None:
    done = run("regrade", folder / "out", "--only", "b")
    assert done.status == 2
    assert "there is no student b in this run; similar: bo" in done.err


def test_other_rules_or_deadlines_are_for_everybody(folder: Path, run: Run, graded: list[str]) -> None:
    """They would change the final scores of the others, whose files stay as they are."""
    (folder / "due.csv").write_text("student,deadline\n*,2026-02-01T12:00Z\n")
    (folder / "late.toml").write_text("[late]\npercent_per_day = 10\n")
    before = others(folder, "nobody")
    config, due = ("--config", folder / "late.toml"), ("--deadlines", folder / "due.csv")
    for done, words in (
        (grade(run, folder, "--only", "bo", *config), "regrade"),
        (grade(run, folder, "--only", "bo", *due), "--extend 2d"),
        (run("regrade", folder / "out", "--only", "bo", *config, "--apply"), "another late rule"),
    ):
        assert (done.status, graded) == (2, []), done.err
        assert words in done.err
        assert others(folder, "nobody") == before
    assert grade(run, folder, *config, *due, "--resume").status == 0
    assert grade(run, folder, "--only", "bo", *config, *due).status == 0
