"""``attngrade repro``: a script for staff, which shows what the grade says."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from tests.command_helpers import Run

from .conftest import SOLUTION


@pytest.fixture(scope="module")
def course(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Submissions (``in``) and their grades (``out``), without timing."""
    from autograder.cli import app

    folder = tmp_path_factory.mktemp("course")
    for name, text in {
        "ana.py": SOLUTION,
        "bo.py": SOLUTION.replace("torch.tanh(", "torch.sigmoid("),
        "eli/notes.txt": "ill",
    }.items():
        (folder / "in" / name).parent.mkdir(parents=True, exist_ok=True)
        (folder / "in" / name).write_text(text)
    words = ["grade", str(folder / "in"), "-a", "bahdanau", "-o", str(folder / "out"), "--no-timing", "-j", "1"]
    assert app.run(words) == 0
    return folder


def ended(script: Path, *more: str) -> subprocess.CompletedProcess[str]:
    """Run a script from another folder, where no grader can be imported."""
    environment = {name: value for name, value in os.environ.items() if name != "PYTHONPATH"}
    call = [sys.executable, str(script), *more]
    return subprocess.run(call, capture_output=True, text=True, cwd=script.parent, env=environment, check=False)


@pytest.mark.thorough
def test_the_solution_is_equal_and_a_mistake_shows(course: Path, run: Run, tmp_path: Path) -> None:
    for student in ("ana", "bo"):
        done = run("repro", course / "out", student, "attention-values", "-o", tmp_path / f"{student}.py")
        assert (done.status, done.err) == (0, "")
        assert "staff only" in done.out
    right, wrong = ended(tmp_path / "ana.py"), ended(tmp_path / "bo.py")
    assert (right.returncode, wrong.returncode) == (0, 1), right.stderr + wrong.stderr
    assert "FAIL" not in right.stdout
    assert right.stdout.endswith("all equal\n")
    assert "FAIL  values of `out`: `context`" in wrong.stdout
    assert "Got -" in wrong.stdout
    text = (tmp_path / "bo.py").read_text()
    assert text.startswith("# STAFF ONLY.")
    assert "# Check attention-values of bahdanau" in text
    assert "# Graded: failed, 0 of " in text
    assert (tmp_path / "bo-student.py").read_text() == (course / "in" / "bo.py").read_text()
    one = ended(tmp_path / "bo.py", "--case", "redrawn-forward")
    assert one.stdout.count("case ") == 1


def test_the_default_name_is_in_this_folder(
    course: Path, run: Run, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    assert run("repro", course / "out", "bo", "softmax-values").status == 0
    assert sorted(os.listdir()) == ["repro-bo-softmax-values-student.py", "repro-bo-softmax-values.py"]


@pytest.mark.parametrize(
    ("student", "check", "words"),
    [
        ("b", "softmax-values", "there is no student b in this run; similar: bo"),
        ("bo", "softmax-value", "there is no check 'softmax-value' in bahdanau; similar: softmax-values"),
        ("eli", "softmax-values", "there is nothing to run: the work is missing."),
    ],
)
def test_wrong_names(course: Path, run: Run, tmp_path: Path, student: str, check: str, words: str) -> None:
    done = run("repro", course / "out", student, check, "-o", tmp_path / "x.py")
    assert done.status == 2
    assert words in done.err
    assert not list(tmp_path.iterdir())


def test_nothing_is_overwritten_nor_written_among_submissions(course: Path, run: Run, tmp_path: Path) -> None:
    target = tmp_path / "x.py"
    (tmp_path / "x-student.py").write_text("mine")
    done = run("repro", course / "out", "bo", "softmax-values", "-o", target)
    assert (done.status, target.exists()) == (2, False)
    assert "x-student.py exists" in done.err
    assert run("repro", course / "out", "bo", "softmax-values", "-o", target, "--force").status == 0
    before = sorted((course / "in").rglob("*"))
    for place in (course / "in" / "x.py", course / "in" / "eli" / "x.py", course / "out" / ".." / "in" / "x.py"):
        done = run("repro", course / "out", "bo", "softmax-values", "-o", place, "--force")
        assert (done.status, "lies among the submissions" in done.err) == (2, True)
    assert sorted((course / "in").rglob("*")) == before
    done = run("repro", course / "out", "bo", "softmax-values", "-o", tmp_path / "nowhere" / "x.py")
    assert done.status == 0


def test_a_link_is_replaced_and_not_followed(course: Path, run: Run, tmp_path: Path) -> None:
    (tmp_path / "precious").write_text("precious")
    (tmp_path / "x.py").symlink_to(tmp_path / "precious")
    assert run("repro", course / "out", "bo", "softmax-values", "-o", tmp_path / "x.py").status == 2
    assert run("repro", course / "out", "bo", "softmax-values", "-o", tmp_path / "x.py", "--force").status == 0
    assert (tmp_path / "precious").read_text() == "precious"


def test_a_changed_work_and_another_seed_are_told(
    course: Path, run: Run, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    folder = tmp_path / "again"
    shutil.copytree(course, folder)
    (folder / "in" / "bo.py").write_text(SOLUTION)
    monkeypatch.setenv("ATTNGRADE_SEED", "another")
    given = (folder / "out", "bo", "attention-values", "-o", tmp_path / "x.py", "--submissions", folder / "in")
    done = run("repro", *given)
    assert done.status == 0
    assert "has changed since it was graded" in done.err
    assert "are not those of the grade" in done.err
    assert "# The submission has changed since it was graded" in (tmp_path / "x.py").read_text()
