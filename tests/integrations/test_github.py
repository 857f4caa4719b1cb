"""The workflows that ``attngrade new --github`` writes."""

from __future__ import annotations

import json
import os
import shlex
import stat
import subprocess
import sys
from importlib import resources
from pathlib import Path
from typing import Any

import jsonschema
import pytest
import yaml

import autograder
from autograder import assignments
from autograder.cli import app

# What GitHub's published actions take (their action.yml, version v1), and which of it they must be given.
GRADER, REPORTER = (
    "classroom-resources/autograding-command-grader@v1",
    "classroom-resources/autograding-grading-reporter@v1",
)
INPUTS = {
    GRADER: ({"test-name", "setup-command", "command", "timeout", "max-score"}, {"test-name", "command"}),
    REPORTER: ({"token", "runners"}, {"runners"}),
    "actions/setup-python@v5": (
        {
            "python-version",
            "python-version-file",
            "cache",
            "architecture",
            "check-latest",
            "token",
            "cache-dependency-path",
            "update-environment",
            "allow-prereleases",
            "freethreaded",
        },
        set(),
    ),
    "actions/checkout@v4": ({"repository", "ref", "token", "path", "fetch-depth"}, set()),
    "actions/upload-artifact@v4": ({"name", "path", "if-no-files-found", "retention-days", "overwrite"}, {"path"}),
}


def workflow(assignment: str, kind: str, folder: Path) -> dict[str, Any]:
    flag, name = {"classroom": ("--github", "classroom"), "plain": ("--github-plain", "pytest")}[kind]
    assert app.run(["new", assignment, str(folder), flag]) == 0
    loaded = yaml.load((folder / ".github" / "workflows" / f"{name}.yml").read_text("utf-8"), yaml.BaseLoader)
    assert isinstance(loaded, dict)
    return loaded


def steps(made: dict[str, Any]) -> list[dict[str, Any]]:
    (job,) = made["jobs"].values()
    return list(job["steps"])


@pytest.mark.parametrize("kind", ["classroom", "plain"])
@pytest.mark.parametrize("assignment", assignments.NAMES)
def test_it_is_valid_by_githubs_schema(assignment: str, kind: str, tmp_path: Path) -> None:
    check = pytest.importorskip("check_jsonschema")  # it carries the schema that editors use
    file = resources.files(check) / "builtin_schemas" / "vendor" / "github-workflows.json"
    validator = jsonschema.validators.validator_for(schema := json.loads(file.read_text("utf-8")))(schema)
    workflow(assignment, kind, tmp_path / "a")
    (path,) = (tmp_path / "a" / ".github" / "workflows").iterdir()
    validator.validate(yaml.safe_load(path.read_text("utf-8")))


@pytest.mark.parametrize("kind", ["classroom", "plain"])
@pytest.mark.parametrize("assignment", assignments.NAMES)
def test_actions_get_the_inputs_that_they_take(assignment: str, kind: str, tmp_path: Path) -> None:
    for step in steps(workflow(assignment, kind, tmp_path / "a")):
        if "uses" in step:
            known, needed = INPUTS[step["uses"]]
            assert needed <= set(step.get("with", {})) <= known, step


@pytest.mark.parametrize("assignment", assignments.NAMES)
def test_every_check_that_can_be_run_is_a_step_with_its_points(assignment: str, tmp_path: Path) -> None:
    made = steps(workflow(assignment, "classroom", tmp_path / "a"))
    graders = {step["id"]: step for step in made if step.get("uses") == GRADER}
    expected = {
        check.id: check for check in assignments.load(assignment, hidden=False).checks if check.kind != "timing"
    }
    assert graders.keys() == expected.keys()
    factor = 1 if all(check.points == int(check.points) for check in expected.values()) else 2
    for name, step in graders.items():
        assert step["with"]["max-score"] == str(int(step["with"]["max-score"]))  # which the grader reads with parseInt
        assert float(step["with"]["max-score"]) == factor * expected[name].points
        assert shlex.split(step["with"]["command"])[-1] == f"test_{assignment}.py::test_public_check[{name}]"
    text = (tmp_path / "a" / ".github" / "workflows" / "classroom.yml").read_text("utf-8")
    assert ("2 times the points of the handout" in text) == (factor == 2)
    reporter = made[-1]
    assert reporter["with"]["runners"].split(",") == list(graders)
    assert reporter["env"] == {f"{name.upper()}_RESULTS": f"${{{{ steps.{name}.outputs.result }}}}" for name in graders}


def test_this_version_is_installed(tmp_path: Path) -> None:
    made = workflow("luong", "classroom", tmp_path / "a")
    assert made["env"]["ATTNGRADE"] == f"attngrade=={autograder.__version__}"
    assert any('"$ATTNGRADE"' in step.get("run", "") for step in steps(made))


def test_a_step_passes_and_fails_as_its_check_does(tmp_path: Path) -> None:
    """The very commands, in a shell, with what the grader hands on: PATH and HOME."""
    folder = tmp_path / "a"
    commands = {
        step["id"]: step["with"]["command"]
        for step in steps(workflow("bahdanau", "classroom", folder))
        if step.get("uses") == GRADER
    }
    solution = Path(autograder.__file__).parents[1] / "solutions" / "bahdanau" / "bahdanau.py"
    (folder / "bahdanau.py").write_text(solution.read_text().replace("torch.tanh(", "torch.sigmoid("))
    python = tmp_path / "bin" / "python"  # in place of an installation
    python.parent.mkdir()
    root = Path(autograder.__file__).parents[1]
    python.write_text(f'#!/bin/sh\nPYTHONPATH={shlex.quote(str(root))} exec {shlex.quote(sys.executable)} "$@"\n')
    python.chmod(python.stat().st_mode | stat.S_IXUSR)
    env = {"PATH": f"{python.parent}{os.pathsep}{os.environ['PATH']}", "HOME": os.environ["HOME"]}
    for check, status in {"softmax-sums": 0, "attention-values": 1}.items():
        run = subprocess.run(
            commands[check], shell=True, cwd=folder, env=env, capture_output=True, text=True, timeout=300
        )
        assert run.returncode == status, run.stdout + run.stderr
    assert "missing-tanh" in run.stdout or "wrong-activation" in run.stdout


def test_no_file_is_overwritten(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path = tmp_path / ".github" / "workflows" / "classroom.yml"
    path.parent.mkdir(parents=True)
    path.write_text("mine")
    assert app.run(["new", "luong", str(tmp_path), "--github"]) == 2
    assert ".github/workflows/classroom.yml" in capsys.readouterr().err
    assert path.read_text() == "mine"
    assert not (tmp_path / "luong.py").exists()


def test_without_the_flag_there_is_none(tmp_path: Path) -> None:
    assert app.run(["new", "luong", str(tmp_path / "a")]) == 0
    assert not (tmp_path / "a" / ".github").exists()
