"""Attacks on what students are shown, where students are shown it: Gradescope's results and nbgrader's feedback.

A class of them, with honest students between who keep all points.
"""

from __future__ import annotations

import json
import sys
from importlib.util import find_spec
from pathlib import Path

import pytest

from tests.hostile import signs
from tests.hostile.arena import LIMITS
from tests.hostile.attacks import Attack, declared, solution
from tests.hostile.platform_helpers import gradescope_results, nbgrader_course, nbgrader_scores
from tests.hostile.playing import world

pytestmark = [pytest.mark.skipif(sys.platform != "linux", reason="Linux only"), pytest.mark.thorough]

ASSIGNMENT = "masking"
HONEST = ("aa_honest", "zz_honest")
LIMITED = [
    f"--limit=load_seconds={LIMITS.load_seconds}",
    f"--case-seconds={LIMITS.case_seconds}",
    f"--submission-seconds={LIMITS.submission_seconds}",
]


def chosen() -> list[Attack]:
    """Those that try to show or to know what is hidden."""
    return [
        attack
        for attack in declared()
        if attack.assignment == ASSIGNMENT and "loot" in attack.signs and not attack.beside and attack.control == ""
    ]


def sources(attacks: list[Attack]) -> dict[str, str]:
    """What each student of the class hands in, those who are honest too."""
    with world() as here:
        texts = {attack.name: attack.source(here.words()) for attack in attacks}
    return texts | dict.fromkeys(HONEST, solution(ASSIGNMENT))


def test_the_attacks_fail_in_gradescopes_layout(tmp_path: Path) -> None:
    """The export of a class, graded in bulk, and the results of each as Gradescope shows them."""
    attacks = chosen()
    files = gradescope_results(tmp_path, ASSIGNMENT, sources(attacks), "--no-timing", *LIMITED)
    for attack in attacks:
        shown = files[attack.name]
        assert not list(signs.stolen(json.dumps(shown))), attack.name
        assert shown["score"] <= attack.most, attack.name
    assert [files[name]["score"] for name in HONEST] == [100, 100]
    assert not list(signs.in_files(tmp_path / "out"))


@pytest.mark.skipif(not find_spec("nbgrader"), reason="nbgrader is not installed: pip install -e '.[nbgrader]'")
def test_the_attacks_fail_in_nbgrader(tmp_path: Path) -> None:
    """Notebooks, graded in bulk, and the feedback that nbgrader makes of them."""
    attacks, course = chosen(), tmp_path / "course"
    texts = sources(attacks)
    seconds = {name: getattr(LIMITS, name) for name in ("case_seconds", "load_seconds", "submission_seconds")}
    nbgrader_course(course, ASSIGNMENT, texts, f"c.AttnGrade.timing = False\nc.AttnGrade.limits = {seconds}\n")
    scores = nbgrader_scores(course, ASSIGNMENT, ["generate_feedback", ASSIGNMENT])
    for attack in attacks:
        page = (course / "feedback" / attack.name / ASSIGNMENT / f"{ASSIGNMENT}.html").read_text()
        outputs = page.split(texts[attack.name][:40])[-1]  # the source itself stands on the page
        assert not list(signs.stolen(outputs)), attack.name
        assert scores[attack.name] <= attack.most, attack.name
    assert [scores[name] for name in HONEST] == [100, 100]
