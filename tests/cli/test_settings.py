"""``assignment.toml`` in ``grade`` and ``regrade``."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from tests.command_helpers import Run
from tests.integrations.export.export_helpers import table
from tests.paths import ROOT

SOLUTION = (ROOT / "solutions" / "bahdanau" / "bahdanau.py").read_text(encoding="utf-8")
WRONG = SOLUTION.replace("torch.tanh(", "torch.sigmoid(")


@pytest.fixture
def course(tmp_path: Path) -> Path:
    for student, text in {"ana": SOLUTION, "bo": WRONG}.items():
        (tmp_path / "in" / student).mkdir(parents=True)
        (tmp_path / "in" / student / "bahdanau.py").write_text(text)
    return tmp_path


def scores(course: Path) -> dict[str, tuple[float, float]]:
    rows = table(course / "out" / "grades.csv")
    return {row["student"]: (float(row["score"]), float(row["max_score"])) for row in rows}


def grade(course: Path, run: Run, *more: object) -> tuple[int, str]:
    done = run("grade", course / "in", "-a", "bahdanau", "-o", course / "out", "-j", 1, "--no-timing", *more)
    return done.status, done.err


def test_settings_weigh_and_a_changed_file_moves_whom_it_moves(course: Path, run: Run) -> None:
    (course / "in" / "assignment.toml").write_text("total = 50\n[causes]\nwrong-activation = 0.5\n")
    status, err = grade(course, run)
    assert status == 0
    assert f"settings: {course / 'in' / 'assignment.toml'}" in err
    assert "passed over" not in err
    before = scores(course)
    assert before["ana"] == (50, 50)
    assert before["bo"][0] < 50
    (course / "in" / "assignment.toml").write_text(
        "total = 50\nextra_credit = true\n[causes]\nwrong-activation = 0.0\n"
    )
    proposed = json.loads(run("regrade", course / "out", "--json").out)
    assert [(one["student"], one["score_after"]) for one in proposed["changed"]] == [("bo", 50)]
    assert proposed["graded"] == 0  # other points are reckoned
    assert scores(course) == before
    assert run("regrade", course / "out", "--apply").status == 0
    assert scores(course)["bo"] == (50, 50)
    assert run("adjust", course / "out", "ana", "+5", "--reason", "a beautiful proof").status == 0
    rows = {row["student"]: row["final_score"] for row in table(course / "out" / "grades.csv")}
    assert rows == {"ana": "55.00", "bo": "50.00"}  # extra credit


def test_options_hold_before_the_file_and_a_slip_writes_nothing(course: Path, run: Run) -> None:
    (course / "mine.toml").write_text("[parts]\nstable_softmx = 3\n")
    status, err = grade(course, run, "--config", course / "mine.toml")
    assert (status, (course / "out").exists()) == (2, False)
    assert "there is no part 'stable_softmx'; did you mean stable_softmax" in err
    (course / "mine.toml").write_text("timing = true\n[limits]\ncase_secnds = 3\n")
    status, err = grade(course, run, "--config", course / "mine.toml")
    assert (status, (course / "out").exists()) == (2, False)
    assert "there is no limit case_secnds" in err


def test_the_late_rule_takes_points(course: Path, run: Run) -> None:
    (course / "canvas").mkdir()
    (course / "canvas" / "limaana_LATE_1_2_bahdanau.py").write_text(SOLUTION)
    (course / "mine.toml").write_text("[late]\npercent_per_day = 10\n")
    done = run(
        *("grade", course / "canvas", "-a", "bahdanau", "-o", course / "out", "-j", 1, "--no-timing"),
        *("--config", course / "mine.toml"),
    )
    assert done.status == 0, done.err
    (row,) = table(course / "out" / "grades.csv")
    assert (row["score"], row["late_penalty"], row["final_score"]) == ("100", "10.00", "90.00")
