"""Classroom 50: ``autograder.py`` as its runner starts it, and ``result.json`` as its schema and its checks have it."""

from __future__ import annotations

import json
import os
import re
import shlex
import stat
import subprocess
import sys
from pathlib import Path
from typing import Any

import msgspec
import pytest

from autograder.integrations import classroom50, edition
from tests.command_helpers import Run
from tests.integrations.made_grades import grade, outcome
from tests.paths import ROOT

COURSE = "https://course.example/attngrade"
RUNNER = {
    "CLASSROOM": "nlp",
    "ASSIGNMENT": "attention-2",
    "ASSIGNMENT_TYPE": "individual",
    "OWNER": "ada",
    "SUBMISSION_TAG": "submit/2026-06-01T14-32-05Z-a1b2c3d",
    "COMMIT_URL": "https://github.example/commit/a1b2c3d",
    "RELEASE_URL": "https://github.example/releases/tag/submit%2Fx",
    "REVIEW_URL": "https://github.example/compare/0...a1b2c3d",
}
# What the schema of classroom50/result/v1 requires; it allows nothing else but ``graded_at`` and ``submitted_by``.
TEXTS = ("classroom", "assignment", "assignment_type", "owner", "submission", "commit", "release", "review", "datetime")
ALL = {"schema", *TEXTS, "score", "max-score", "tests"}


def hold(result: dict[str, Any]) -> None:
    """Hold a result against the schema, and against what Classroom 50 checks in code."""
    assert set(result) == ALL
    assert result["schema"] == "classroom50/result/v1"
    assert all(isinstance(result[name], str) and result[name] for name in TEXTS)
    assert result["assignment_type"] in ("individual", "group")
    assert result["submission"].startswith("submit/")
    assert re.fullmatch(r"\d{4}-\d\d-\d\dT([01]\d|2[0-3]):[0-5]\d:[0-5]\dZ", result["datetime"])
    for test in result["tests"]:
        assert isinstance(test["test-name"], str)
        assert test["test-name"]
        assert isinstance(test["passed"], bool)
    for counted in (result, *result["tests"]):
        assert type(counted["score"]) is type(counted["max-score"]) is int
        assert 0 <= counted["score"] <= counted["max-score"]
    for name in ("score", "max-score"):
        assert result[name] == sum(test[name] for test in result["tests"])


def loaded(grade: Any, variables: dict[str, str]) -> dict[str, Any]:
    made: dict[str, Any] = json.loads(msgspec.json.encode(classroom50.result(grade, variables)))
    return made


def test_points_are_whole_hundredths() -> None:
    checks = [
        outcome("right", "passed", 2.5, 2.5),
        outcome("wrong", "failed", 0.0, 3.0, message="Got 1, expected 2."),
        outcome("given-back", "failed", 1.25, 3.0),
        outcome("speed", "passed", 4.0, 4.0, kind="timing"),  # a shared machine can't decide it
        outcome("left-out", "skipped", 0.0, 3.0),
    ]
    result = loaded(grade("ada", checks), RUNNER)
    hold(result)
    assert [(test["passed"], test["score"], test["max-score"]) for test in result["tests"]] == [
        (True, 250, 250),
        (False, 0, 300),
        (False, 125, 300),
    ]
    assert "Got 1, expected 2." in result["tests"][1]["message"]


def test_an_older_runner_stamps_what_it_does_not_tell() -> None:
    told = {name: value for name, value in RUNNER.items() if name not in ("OWNER", "ASSIGNMENT_TYPE", "REVIEW_URL")}
    result = loaded(grade("ada", [outcome("a", "passed", 1.0, 1.0)]), told)
    assert set(result) == ALL - {"owner", "assignment_type"}
    assert result["review"] == RUNNER["COMMIT_URL"]
    assert loaded(grade("ada", []), told | {"USERNAME": "ben"})["owner"] == "ben"


def test_a_file_that_cannot_run_scores_zero_of_all_points() -> None:
    checks = [outcome("a", "skipped", 0.0, 3.0), outcome("b", "skipped", 0.0, 4.0)]
    result = loaded(grade("ada", checks, status="import-error", score=0.0), RUNNER)
    assert (result["score"], result["max-score"]) == (0, 700)


@pytest.mark.parametrize("name", ["CLASSROOM", "SUBMISSION_TAG", "RELEASE_URL"])
def test_outside_the_runner_it_says_so(name: str) -> None:
    with pytest.raises(classroom50.Classroom50Error, match=name):
        classroom50.result(grade("ada", []), RUNNER | {name: " "})


def test_our_own_fault_is_never_a_zero() -> None:
    with pytest.raises(classroom50.Classroom50Error, match="attngrade itself failed"):
        classroom50.result(grade("ada", [], status="infrastructure-error", score=None), RUNNER)


@pytest.mark.parametrize("options", [(), ("--address", "/course/drive")])
def test_the_program_needs_an_address_on_the_web(run: Run, tmp_path: Path, options: tuple[str, ...]) -> None:
    done = run("new", "luong", tmp_path / "a", "--classroom50", *options)
    assert done.status == 2
    assert "--address https://" in done.err
    assert not (tmp_path / "a").exists()


def test_the_runner_gets_a_result(run: Run, tmp_path: Path) -> None:
    """The very program, in a checkout whose student tries to be pip and attngrade, and to hand in a result."""
    assert run("new", "bahdanau", tmp_path / "new", "--classroom50", "--address", COURSE).status == 0
    work = tmp_path / "work"
    (work / "autograder").mkdir(parents=True)
    for name in ("pip.py", "autograder/__init__.py", "autograder/__main__.py"):
        (work / name).write_text("open('taken over', 'w')")
    (work / "result.json").symlink_to(tmp_path / "elsewhere")
    right = (ROOT / "solutions" / "bahdanau" / "bahdanau.py").read_text()
    (work / "bahdanau.py").write_text(right.replace("torch.tanh(", "torch.sigmoid("))
    python, calls = tmp_path / "python", tmp_path / "pip"
    note = f'[ "$3" = pip ] && {{ echo "$@" >> {shlex.quote(str(calls))}; exit 0; }}'
    python.write_text(f'#!/bin/sh\n{note}\nexec {shlex.quote(sys.executable)} "$@"\n')
    python.chmod(stat.S_IRWXU)
    program = tmp_path / "new" / "classroom50" / "autograder.py"
    start = (
        f"import runpy, sys; sys.executable = {str(python)!r}; runpy.run_path({str(program)!r}, run_name='__main__')"
    )
    env = os.environ | RUNNER | {"PYTHONPATH": str(ROOT)}
    done = subprocess.run([sys.executable, "-P", "-c", start], cwd=work, env=env, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    assert calls.read_text().splitlines()[-1] == f"-P -m pip install --quiet {COURSE}/{edition.WHEEL}"
    assert not (work / "taken over").exists()
    assert not (tmp_path / "elsewhere").exists()
    result = json.loads((work / "result.json").read_text())
    hold(result)
    assert result["owner"] == "ada"
    assert 0 < result["score"] < result["max-score"]
    assert "hidden" not in json.dumps(result).lower()
