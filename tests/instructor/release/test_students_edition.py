"""The students' edition as a student has it: the wheel, unpacked, with no checkout on the path."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
import zipfile
from collections.abc import Callable
from pathlib import Path

import pytest

from autograder.assignments import NAMES
from autograder.instructor.release import students_folder
from tests.paths import ROOT

Attngrade = Callable[..., "subprocess.CompletedProcess[str]"]
CHECKOUT = "a checkout"

# The installation for development puts the checkout on the path of every process.
LAUNCHER = f"""
import sys
sys.path[:] = [one for one in sys.path if one != {str(ROOT)!r}]
sys.argv[0] = "attngrade"
from autograder.cli import main
import autograder
assert {str(ROOT)!r} not in autograder.__file__
main()
"""


@pytest.fixture(scope="module")
def edition(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("edition")
    wheel = students_folder.build_wheel(ROOT, folder)
    with zipfile.ZipFile(wheel) as archive:
        archive.extractall(folder / "installed")
    return folder / "installed"


@pytest.fixture
def attngrade(edition: Path, tmp_path: Path) -> Attngrade:
    """Runs a command of the students' edition in an empty folder."""
    environment = os.environ | {"PYTHONPATH": str(edition), "COLUMNS": "100"}

    def run(*arguments: str) -> subprocess.CompletedProcess[str]:
        command = [sys.executable, "-c", LAUNCHER, *arguments]
        done = subprocess.run(command, cwd=tmp_path, env=environment, capture_output=True, text=True, check=False)
        assert "Traceback" not in done.stderr, done.stderr
        return done

    return run


def test_the_help_lists_what_students_can_do(attngrade: Attngrade) -> None:
    shown = attngrade("--help").stdout
    assert "For students" in shown
    assert CHECKOUT in shown
    assert "regrade" not in shown
    assert "For authors" not in shown


def test_the_assignments_are_listed_without_hidden_checks(attngrade: Attngrade) -> None:
    heading, *lines, note = attngrade("list").stdout.splitlines()
    assert [line.split()[0] for line in lines] == list(NAMES)
    assert "hidden" not in heading
    assert note == "The other points of 100 come from hidden checks, which run when your work is graded."


@pytest.mark.thorough
def test_an_evening_from_new_to_all_points(attngrade: Attngrade, tmp_path: Path) -> None:
    assert attngrade("new", "bahdanau").returncode == 0
    nothing = attngrade("check", "bahdanau")
    assert nothing.returncode == 1
    assert "Nothing is written yet. Start with stable_softmax" in nothing.stdout
    assert "step 1 of 3" in attngrade("hint", "stable_softmax").stdout
    shutil.copy(ROOT / "solutions" / "bahdanau" / "bahdanau.py", tmp_path / "bahdanau")
    part = attngrade("check", "bahdanau", "--only", "softmax_vjp")
    assert (part.returncode, part.stderr) == (0, "")
    assert "9.00 of 9 points" in part.stdout
    whole = attngrade("check", "bahdanau")
    assert (whole.returncode, whole.stderr) == (0, "")
    assert "46.00 of 46 points" in whole.stdout
    assert "They are as expected." in attngrade("show-weights", "bahdanau").stdout


@pytest.mark.parametrize(
    "arguments",
    ["check --full work", "grade work --assignment luong --out out", "audit luong", "build luong", "students page"],
)
def test_what_needs_a_checkout_says_so(attngrade: Attngrade, arguments: str, tmp_path: Path) -> None:
    attngrade("new", "luong", "work/ada")
    done = attngrade(*arguments.split())
    assert done.returncode == 2
    assert CHECKOUT in done.stderr
    assert done.stderr.count("\n") == 1
    assert [one.name for one in tmp_path.iterdir()] == ["work"]
