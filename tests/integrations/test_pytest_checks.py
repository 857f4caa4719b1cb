"""``test_<assignment>.py`` as students run it: plain, in parallel, and with a report in XML."""

from __future__ import annotations

import os
import re
import subprocess
import sys
from pathlib import Path
from typing import NamedTuple
from xml.etree import ElementTree as ET

import pytest

from autograder import intake, model
from autograder.cli import app
from autograder.integrations import pytest_checks
from tests.paths import ROOT

SOLUTION = (ROOT / "solutions" / "bahdanau" / "bahdanau.py").read_text()
COUNTING = """
import os
from autograder.grading.runner import Runner
grade = Runner.grade
def counted(self, submission):
    with open("gradings", "a") as file:
        file.write(f"{os.getpid()}\\n")
    return grade(self, submission)
Runner.grade = counted
"""


class Session(NamedTuple):
    """A run of pytest in a student's folder."""

    folder: Path
    status: int
    said: str
    cases: dict[str, ET.Element]
    gradings: list[str]


def session(folder: Path, work: str, *arguments: str) -> Session:
    assert app.run(["new", "bahdanau", str(folder)]) == 0
    (folder / "bahdanau.ipynb").unlink()
    (folder / "bahdanau.py").write_text(work)
    (folder / "conftest.py").write_text(COUNTING)
    command = [sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider", "--junitxml=report.xml", *arguments]
    env = {**os.environ, "PYTHONPATH": str(ROOT), "COLUMNS": "120"}
    for name in [name for name in env if name.startswith("PYTEST_")]:
        del env[name]
    run = subprocess.run(command, cwd=folder, env=env, capture_output=True, text=True, timeout=300)
    cases = {case.attrib["name"]: case for case in ET.parse(folder / "report.xml").iter("testcase")}
    gradings = (folder / "gradings").read_text().split()
    return Session(folder, run.returncode, run.stdout + run.stderr, cases, gradings)


@pytest.fixture(scope="module")
def alone(tmp_path_factory: pytest.TempPathFactory) -> Session:
    """One process, on a submission without its tanh."""
    return session(tmp_path_factory.mktemp("alone") / "a", SOLUTION.replace("torch.tanh(", "("))


@pytest.fixture(scope="module")
def together(tmp_path_factory: pytest.TempPathFactory) -> Session:
    """The same, by two processes."""
    return session(tmp_path_factory.mktemp("together") / "a", SOLUTION.replace("torch.tanh(", "("), "-n", "2")


def verdicts(found: Session) -> dict[str, list[str]]:
    return {name: [child.tag for child in case if child.tag != "properties"] for name, case in found.cases.items()}


def test_every_check_is_an_item_and_speed_is_not_held_against_anybody(alone: Session) -> None:
    checks = pytest_checks.public_checks("bahdanau")
    found = verdicts(alone)
    assert list(found) == [f"test_public_check[{check}]" for check in checks]
    assert found["test_public_check[softmax-values]"] == []
    assert found["test_public_check[attention-values]"] == ["failure"]
    assert {found[f"test_public_check[{name}-speed]"][0] for name in ("softmax", "vjp", "attention")} == {"skipped"}
    assert alone.status == 1


def test_a_failure_is_a_message_and_no_traceback(alone: Session) -> None:
    assert "The context and the weights have the right values  [attention-values]  missing-tanh" in alone.said
    assert 'See "BahdanauAttention" in the handout.' in alone.said
    for ours in ("Traceback", "AssertionError", "run_public_check", "def test_", ".py:1", "autograder", "warning"):
        assert ours not in alone.said, alone.said


def test_the_report_has_titles_points_and_messages(alone: Session) -> None:
    def properties(check: str) -> dict[str, str]:
        case = alone.cases[f"test_public_check[{check}]"]
        return {one.attrib["name"]: one.attrib["value"] for one in case.iter("property")}

    assert properties("softmax-sums") == {
        "title": "Every row of stable_softmax sums to 1",
        "kind": "weight_sum",
        "status": "passed",
        "points": "1",
        "max_points": "1",
        "diagnosis": "",
    }
    lost = properties("attention-values")
    assert (lost["points"], lost["max_points"], lost["diagnosis"]) == ("4", "5", "missing-tanh")
    charged = properties("attention-interface")  # stands first, and asks for right values too
    assert (charged["status"], charged["points"], charged["max_points"]) == ("blocked", "0", "4")
    failure = alone.cases["test_public_check[attention-values]"].find("failure")
    assert failure is not None
    assert re.search("has wrong values.*The tanh is missing", failure.attrib["message"])


@pytest.mark.thorough
def test_it_is_graded_once_a_process_and_the_same(alone: Session, together: Session) -> None:
    assert len(alone.gradings) == 1
    assert len(together.gradings) == len(set(together.gradings)) <= 2
    assert dict(sorted(verdicts(together).items())) == dict(sorted(verdicts(alone).items()))
    points = [
        {one.attrib["value"] for case in found.cases.values() for one in case.iter("property")}
        for found in (alone, together)
    ]
    assert points[0] == points[1]


def test_what_one_mistake_costs_is_half_of_its_part_and_what_only_waits_is_skipped(alone: Session) -> None:
    def value(case: ET.Element, name: str) -> str:
        return next(one.attrib["value"] for one in case.iter("property") if one.attrib["name"] == name)

    part = [case for name, case in alone.cases.items() if "[attention-" in name and value(case, "kind") != "timing"]
    lost = [float(value(case, "max_points")) - float(value(case, "points")) for case in part]
    assert 0 < sum(lost) < sum(float(value(case, "max_points")) for case in part)
    sums = alone.cases["test_public_check[attention-sums]"]
    assert (value(sums, "status"), value(sums, "points")) == ("blocked", value(sums, "max_points"))
    skipped = sums.find("skipped")
    assert skipped is not None
    assert skipped.attrib["message"].startswith("Not counted until the values of BahdanauAttention are right")


@pytest.mark.parametrize(("points", "verdict"), [(2.0, "skip"), (0.5, "fail"), (0.0, "fail")])
def test_a_blocked_check_that_costs_points_fails(
    points: float, verdict: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A workflow gives a skipped item all its points."""
    check = model.Outcome("c", "Title", "shape", "public", "blocked", points, 2.0, "Not counted until then.")
    made = model.Grade("ana", "luong", points, 2.0, "graded", (check,), {})
    monkeypatch.setattr(pytest_checks, "_grade", lambda *_: made)
    (tmp_path / "luong.py").write_text("")
    with pytest.raises((pytest.fail.Exception, pytest.skip.Exception), match=r"Not counted until then\.") as caught:
        pytest_checks.run_public_check(tmp_path, "luong", "c")
    assert caught.type is getattr(pytest, verdict).Exception


def reported(folder: Path, check: str) -> str:
    """Why an item fails. A skip is none, and must not skip the test that asks."""
    with pytest.raises((pytest.fail.Exception, pytest.skip.Exception)) as caught:
        pytest_checks.run_public_check(folder, "luong", check)
    assert caught.type is pytest.fail.Exception
    return str(caught.value)


class TestNothingToCheck:
    """What is not graded fails, in words; it is never passed and never skipped."""

    @pytest.fixture
    def grade(self, monkeypatch: pytest.MonkeyPatch) -> model.Grade:
        check = model.Outcome("c", "Title", "value", "public", "skipped", 0.0, 1.0, "Could not be checked.")
        made = model.Grade(
            "ana", "luong", None, 1.0, "infrastructure-error", (check,), {}, message="Our fault: no room"
        )
        monkeypatch.setattr(pytest_checks, "_grade", lambda *_: made)
        return made

    def test_our_own_fault(self, grade: model.Grade, tmp_path: Path) -> None:
        (tmp_path / "luong.py").write_text("")
        assert re.search(r"infrastructure-error: Our fault: no room", reported(tmp_path, "c"))

    def test_a_check_that_is_not_there(self, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
        made = model.Grade("ana", "luong", 0.0, 1.0, "graded", (), {})
        monkeypatch.setattr(pytest_checks, "_grade", lambda *_: made)
        (tmp_path / "luong.py").write_text("")
        assert re.search(r"graded", reported(tmp_path, "c"))

    def test_no_file(self, tmp_path: Path) -> None:
        assert re.search(r"nothing to check in", reported(tmp_path, "c"))

    def test_a_notebook_that_is_none(self, tmp_path: Path) -> None:
        (tmp_path / "luong.ipynb").write_text("{")
        check = pytest_checks.public_checks("luong")[0]
        assert re.search(r"unreadable: .*not a notebook", reported(tmp_path, check))

    def test_the_exam_is_not_installed(self, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
        def refuse(*_: object) -> None:
            raise intake.IntakeError("no such thing")

        monkeypatch.setattr(intake, "open_path", refuse)
        assert re.search(r"^no such thing$", reported(tmp_path, "c"))
