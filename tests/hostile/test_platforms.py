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
from tests.hostile.playing import world
from tests.integrations.nbgrader.class_helpers import done, nbgrader

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


def test_the_attacks_fail_in_gradescopes_layout(tmp_path: Path) -> None:
    """The export of a class, graded in bulk, and the results of each as Gradescope shows them."""
    attacks, lines = chosen(), []
    with world() as here:
        texts = {attack.name: attack.source(here.words()) for attack in attacks}
    for number, (student, text) in enumerate((texts | dict.fromkeys(HONEST, solution(ASSIGNMENT))).items()):
        folder = tmp_path / "export" / f"submission_{number}"
        folder.mkdir(parents=True)
        (folder / f"{ASSIGNMENT}.py").write_text(text)
        lines.append(f"submission_{number}:\n  :submitters:\n  - :name: {student}\n    :sid: {student}\n")
    (tmp_path / "export" / "submission_metadata.yml").write_text("".join(lines))
    out = tmp_path / "out"
    done("attngrade", "grade", "export", "-a", ASSIGNMENT, "-o", out, "--no-timing", "-j", "2", *LIMITED, cwd=tmp_path)
    done("attngrade", "export", out, "--to", "gradescope", "-o", tmp_path / "shown", cwd=tmp_path)
    files = {path.parent.name: json.loads(path.read_text()) for path in (tmp_path / "shown").rglob("*.json")}
    for attack in attacks:
        shown = files[attack.name]
        assert not list(signs.stolen(json.dumps(shown))), attack.name
        assert shown["score"] <= attack.most, attack.name
    assert [files[name]["score"] for name in HONEST] == [100, 100]
    assert not list(signs.in_files(out))


@pytest.mark.skipif(not find_spec("nbgrader"), reason="nbgrader is not installed: pip install -e '.[nbgrader]'")
def test_the_attacks_fail_in_nbgrader(tmp_path: Path) -> None:
    """Notebooks, graded in bulk, and the feedback that nbgrader makes of them."""
    attacks, course = chosen(), tmp_path / "course"
    with world() as here:
        texts = {attack.name: attack.source(here.words()) for attack in attacks}
    done("attngrade", "nbgrader", "init", course, "--assignment", ASSIGNMENT, cwd=tmp_path)
    with (course / "nbgrader_config.py").open("a") as config:
        seconds = {name: getattr(LIMITS, name) for name in ("case_seconds", "load_seconds", "submission_seconds")}
        config.write(f"c.AttnGrade.timing = False\nc.AttnGrade.limits = {seconds}\n")
    nbgrader(["db", "upgrade"], ["generate_assignment", ASSIGNMENT], cwd=course)
    released = (course / "release" / ASSIGNMENT / f"{ASSIGNMENT}.ipynb").read_text()
    for student, text in (texts | dict.fromkeys(HONEST, solution(ASSIGNMENT))).items():
        notebook = json.loads(released)
        notebook["cells"].append(
            {"cell_type": "code", "execution_count": None, "metadata": {}, "outputs": [], "source": text, "id": "own"}
        )
        folder = course / "submitted" / student / ASSIGNMENT
        folder.mkdir(parents=True)
        (folder / f"{ASSIGNMENT}.ipynb").write_text(json.dumps(notebook))
    done("attngrade", "nbgrader", "grade", course, ASSIGNMENT, "--jobs", "2", cwd=tmp_path)
    nbgrader(["generate_feedback", ASSIGNMENT], ["export"], cwd=course)
    table = (course / "grades.csv").read_text().splitlines()
    scores = {line.split(",")[table[0].split(",").index("student_id")]: line for line in table[1:]}
    column = table[0].split(",").index("score")
    for attack in attacks:
        page = (course / "feedback" / attack.name / ASSIGNMENT / f"{ASSIGNMENT}.html").read_text()
        outputs = page.split(texts[attack.name][:40])[-1]  # the source itself stands on the page
        assert not list(signs.stolen(outputs)), attack.name
        assert float(scores[attack.name].split(",")[column]) <= attack.most, attack.name
    assert [float(scores[name].split(",")[column]) for name in HONEST] == [100, 100]
