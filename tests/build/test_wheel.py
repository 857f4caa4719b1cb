"""The wheel is the students' edition: everything that they need, and nothing that they must not see."""

from __future__ import annotations

import subprocess
import sys
import zipfile
from pathlib import Path

import pytest

from autograder import misconceptions, specs
from autograder.model import TOPICS


@pytest.fixture(scope="module")
def names(tmp_path_factory: pytest.TempPathFactory) -> dict[str, bytes]:
    """What is in the wheel."""
    root = Path(__file__).resolve().parents[2]
    out = tmp_path_factory.mktemp("wheel")
    command = [sys.executable, "-m", "hatchling", "build", "-t", "wheel", "-d", str(out)]
    subprocess.run(command, cwd=root, check=True, capture_output=True)
    (wheel,) = out.iterdir()
    with zipfile.ZipFile(wheel) as archive:
        return {name: archive.read(name) for name in archive.namelist()}


def test_students_get_what_they_need(names: dict[str, bytes]) -> None:
    for topic in TOPICS:
        for file in ("README.md", f"{topic}.py", f"{topic}.ipynb", f"test_{topic}.py"):
            assert f"autograder/assignments/{topic}/{file}" in names
        assert f"autograder/data/{topic}.msgpack" in names
        assert f"autograder/specs/{topic}.py" in names
    assert {"autograder/cli.py", "autograder/report/index.html.jinja"} <= names.keys()


def test_references_solutions_and_hidden_checks_stay_here(names: dict[str, bytes]) -> None:
    secret = ("reference", "solutions", "tests", "oracle", "misconceptions", "hidden", "build", "audit")
    assert not [name for name in names if set(name.split("/")) & set(secret)]
    code = b"".join(names.values())
    known = {one.id for topic in TOPICS for one in misconceptions.variants(topic)}
    for name in known:  # which are shipped, and may be called as a case is
        code = code.replace(name.encode(), b"") if "hidden" in name else code
    assert b"### BEGIN SOLUTION" not in code
    for topic in TOPICS:
        public = {case.id for check in specs.load(topic, hidden=False).checks for case in check.cases}
        every = {case.id for check in specs.load(topic, hidden=True).checks for case in check.cases}
        assert every - public
        assert not [case for case in every - public if case.encode() in code]
