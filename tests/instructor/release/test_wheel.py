"""The wheel is the students' edition: everything that they need, and nothing that they must not see."""

from __future__ import annotations

import subprocess
import sys
import zipfile

import pytest

from autograder import assignments
from autograder.assignments import NAMES
from autograder.feedback.explanations import explained
from autograder.instructor.oracle import mistakes
from tests.paths import ROOT


@pytest.fixture(scope="module")
def names(tmp_path_factory: pytest.TempPathFactory) -> dict[str, bytes]:
    """What is in the wheel."""
    root = ROOT
    out = tmp_path_factory.mktemp("wheel")
    command = [sys.executable, "-m", "hatchling", "build", "-t", "wheel", "-d", str(out)]
    subprocess.run(command, cwd=root, check=True, capture_output=True)
    (wheel,) = out.iterdir()
    with zipfile.ZipFile(wheel) as archive:
        return {name: archive.read(name) for name in archive.namelist()}


def test_students_get_what_they_need(names: dict[str, bytes]) -> None:
    for assignment in NAMES:
        for file in ("README.md", f"{assignment}.py", f"{assignment}.ipynb", f"test_{assignment}.py"):
            assert f"autograder/handouts/{assignment}/{file}" in names
        assert f"autograder/assignments/{assignment}/expected.msgpack" in names
        assert f"autograder/assignments/{assignment}/checks.py" in names
    assert {"autograder/cli/app.py", "autograder/report/web/pages/class.html.jinja"} <= names.keys()


def test_what_is_said_in_class_stays_here(names: dict[str, bytes]) -> None:
    assert "autograder/assignments/explanations.py" in names  # which finds nothing there
    assert not [name for name in names if name.endswith("explanations.toml")]
    text = b" ".join(b"".join(names.values()).split())
    assert not [cause for cause, said in explained("").items() if said.partition(". ")[0].encode() in text]


def test_references_solutions_and_hidden_checks_stay_here(names: dict[str, bytes]) -> None:
    secret = ("reference", "solutions", "tests", "oracle", "instructor", "mistakes", "hidden", "release")
    assert not [name for name in names if set(name.split("/")) & set(secret)]
    code = b"".join(names.values())
    known = {one.id for assignment in NAMES for one in mistakes.variants(assignment)}
    for name in known:  # which are shipped, and may be called as a case is
        code = code.replace(name.encode(), b"") if "hidden" in name else code
    assert b"### BEGIN SOLUTION" not in code
    for assignment in NAMES:
        public = {case.id for check in assignments.load(assignment, hidden=False).checks for case in check.cases}
        every = {case.id for check in assignments.load(assignment, hidden=True).checks for case in check.cases}
        assert every - public
        assert not [case for case in every - public if case.encode() in code]
