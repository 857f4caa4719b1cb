"""Submissions whose timed calls end in what might be our own fault, where whole classes are graded.

Each is right and fast until it is timed. Then it hangs up, sleeps or dies. It must lose the points of the timing check
and nothing else, and the honest students beside it must lose nothing.
"""

from __future__ import annotations

import sys
from importlib.util import find_spec
from pathlib import Path

import pytest

from autograder import model
from autograder.cli import app
from autograder.runs import results
from tests.hostile.attacks import solution
from tests.hostile.platform_helpers import gradescope_results, nbgrader_course, nbgrader_scores
from tests.hostile.test_clock import DECLARED, SPEED

pytestmark = [pytest.mark.skipif(sys.platform != "linux", reason="Linux only"), pytest.mark.thorough]

ASSIGNMENT = "bahdanau"
HONEST = ("aa_honest", "zz_honest")
# One who sleeps for a little is right, and as fast as the reference in CPU time: some machines decide that in so few
# calls that the sleep is short of the limit. What happens at the limit is tested in test_clock.py.
CHEATS = {
    cheat.name: cheat
    for cheat in DECLARED
    if cheat.symptom in ("crashed", "timed-idle") and cheat.name != "sleep_a_little"
}
TIMED_ONLY = """
forward_of_cheat = BahdanauAttention.forward


def forward_when_timed(self, decoder_state, encoder_states):
    large = encoder_states.numel() > 10_000
    return (forward_of_cheat if large else forward_of_solution)(self, decoder_state, encoder_states)


BahdanauAttention.forward = forward_when_timed
"""


def sources() -> dict[str, str]:
    """What each student of the class hands in: an honest one, the cheats, and another honest one."""
    honest = solution(ASSIGNMENT)
    start = f"{honest}\n\nforward_of_solution = BahdanauAttention.forward\n\n"
    cheats = {name: f"{start}{cheat.source}\n{TIMED_ONLY}" for name, cheat in CHEATS.items()}
    return {HONEST[0]: honest} | cheats | {HONEST[1]: honest + "\n# in time\n"}


def judge(out: Path) -> None:
    """A run's own results: cheats lose the timing check only; honest students lose nothing."""
    grades = {grade.student: grade for grade in map(results.read_result, (out / "results").glob("*.json"))}
    assert grades.keys() == {*CHEATS, *HONEST}
    for name in HONEST:
        assert grades[name].score == grades[name].max_score, grades[name]
        assert speed(grades[name]).status in ("passed", "skipped")
    for name in CHEATS:
        grade, timing = grades[name], speed(grades[name])
        assert timing.status in ("error", "timeout"), (name, timing)
        assert (grade.status, grade.score, grade.max_score) == ("graded", 100 - SPEED.points, 100), (name, grade)


def speed(grade: model.Grade) -> model.Outcome:
    return next(check for check in grade.checks if check.id == SPEED.id)


def test_in_a_class_a_cheat_loses_its_points_and_nobody_else_does(tmp_path: Path) -> None:
    for student, text in sources().items():
        folder = tmp_path / "class" / student
        folder.mkdir(parents=True)
        (folder / f"{ASSIGNMENT}.py").write_text(text)
    out = tmp_path / "out"
    assert app.run(["grade", str(tmp_path / "class"), "-a", ASSIGNMENT, "-o", str(out), "--jobs", "2"]) == 0
    judge(out)


def test_in_gradescopes_layout_a_cheat_loses_its_points(tmp_path: Path) -> None:
    shown = gradescope_results(tmp_path, ASSIGNMENT, sources())
    judge(tmp_path / "out")
    assert [shown[name]["score"] for name in HONEST] == [100, 100]
    assert {shown[name]["score"] for name in CHEATS} == {100 - SPEED.points}
    for name in CHEATS:
        (timing,) = (test for test in shown[name]["tests"] if test["name"] == SPEED.title)
        assert (timing["status"], timing["score"], timing["max_score"]) == ("failed", 0, SPEED.points)


@pytest.mark.skipif(not find_spec("nbgrader"), reason="nbgrader is not installed: pip install -e '.[nbgrader]'")
def test_in_nbgrader_a_cheat_loses_its_points(tmp_path: Path) -> None:
    course = tmp_path / "course"
    nbgrader_course(course, ASSIGNMENT, sources(), "")
    scores = nbgrader_scores(course, ASSIGNMENT)
    judge(course / "attngrade" / ASSIGNMENT)
    assert scores == dict.fromkeys(HONEST, 100.0) | dict.fromkeys(CHEATS, 100.0 - SPEED.points)
