"""The workflow that ``attngrade new --github`` writes, and the files that its step ``check`` writes."""

from __future__ import annotations

import json
import os
import re
import shlex
import stat
import subprocess
import sys
from importlib import resources
from pathlib import Path
from typing import Any
from xml.etree import ElementTree as ET

import jsonschema
import pytest
import yaml
from msgspec.structs import replace

from autograder import assignments
from autograder.cli import app
from autograder.integrations import edition
from autograder.report import step_summary
from tests.command_helpers import Run
from tests.integrations.made_grades import grade, outcome
from tests.paths import ROOT

COURSE = "https://course.example/attngrade"
# What GitHub's published actions take (their action.yml), and which of it they must be given.
INPUTS = {
    "actions/setup-python@v5": ({"python-version", "python-version-file", "cache", "architecture"}, set()),
    "actions/checkout@v4": ({"repository", "ref", "token", "path", "fetch-depth"}, set()),
    "actions/upload-artifact@v4": ({"name", "path", "if-no-files-found", "retention-days", "overwrite"}, {"path"}),
}


def workflow(folder: Path, assignment: str, *options: str) -> dict[str, Any]:
    assert app.run(["new", assignment, str(folder), "--github", *options]) == 0
    loaded = yaml.load((folder / ".github" / "workflows" / "attngrade.yml").read_text("utf-8"), yaml.BaseLoader)
    assert isinstance(loaded, dict)
    return loaded


def steps(made: dict[str, Any]) -> dict[str, dict[str, Any]]:
    return {step["name"]: step for step in made["jobs"]["checks"]["steps"]}


def install(made: dict[str, Any]) -> dict[str, Any]:
    return steps(made)["Install attngrade, the students' edition"]


@pytest.fixture
def python(tmp_path: Path) -> dict[str, str]:
    """An environment as a step has it, with commands in place of an installation. Calls of pip are noted."""
    programs = tmp_path / "bin"
    programs.mkdir()
    real = f"PYTHONPATH={shlex.quote(str(ROOT))} exec {shlex.quote(sys.executable)}"
    note = f'[ "$2" = pip ] && {{ echo "$@" >> {shlex.quote(str(tmp_path / "pip"))}; exit 0; }}'
    for name, lines in {"python": f'{note}\n{real} "$@"', "attngrade": f'{real} -m autograder "$@"'}.items():
        (programs / name).write_text(f"#!/bin/sh\n{lines}\n")
        (programs / name).chmod(stat.S_IRWXU)
    return {
        "PATH": f"{programs}{os.pathsep}{os.environ['PATH']}",
        "HOME": os.environ["HOME"],
        "GITHUB_STEP_SUMMARY": str(tmp_path / "summary.md"),
    }


def shell(step: dict[str, Any], folder: Path, env: dict[str, str]) -> subprocess.CompletedProcess[str]:
    """Run a step as GitHub's runner does."""
    command = ["bash", "-e", "-c", step["run"]]
    return subprocess.run(command, cwd=folder, env=env, capture_output=True, text=True, timeout=300)


@pytest.mark.parametrize("assignment", assignments.NAMES)
def test_it_is_valid_by_githubs_schema(assignment: str, tmp_path: Path) -> None:
    check = pytest.importorskip("check_jsonschema")  # it carries the schema that editors use
    file = resources.files(check) / "builtin_schemas" / "vendor" / "github-workflows.json"
    validator = jsonschema.validators.validator_for(schema := json.loads(file.read_text("utf-8")))(schema)
    workflow(tmp_path / "a", assignment)
    (path,) = (tmp_path / "a" / ".github" / "workflows").iterdir()
    validator.validate(yaml.safe_load(path.read_text("utf-8")))


def test_actions_get_the_inputs_that_they_take(tmp_path: Path) -> None:
    for step in steps(workflow(tmp_path / "a", "luong")).values():
        if "uses" in step:
            known, needed = INPUTS[step["uses"]]
            assert needed <= set(step.get("with", {})) <= known, step


def test_nothing_of_classroom_is_left(tmp_path: Path) -> None:
    workflow(tmp_path / "a", "luong")
    assert "classroom" not in (tmp_path / "a" / ".github" / "workflows" / "attngrade.yml").read_text("utf-8").lower()


def test_the_older_option_makes_the_same(tmp_path: Path) -> None:
    assert app.run(["new", "luong", str(tmp_path / "b"), "--github-plain"]) == 0
    workflow(tmp_path / "a", "luong")
    name = Path(".github/workflows/attngrade.yml")
    assert (tmp_path / "a" / name).read_bytes() == (tmp_path / "b" / name).read_bytes()


def test_it_installs_from_the_address(tmp_path: Path, python: dict[str, str]) -> None:
    step = install(workflow(tmp_path / "a", "luong", "--address", COURSE))
    assert shell(step, tmp_path, python | step["env"]).returncode == 0
    torch, ours = (tmp_path / "pip").read_text().splitlines()
    assert f"-m {torch.removeprefix('-m ')}" == f"-m {edition.torch_line()}".replace('"', "")
    assert ours == f"-m pip install {COURSE}/{edition.WHEEL}"


@pytest.mark.parametrize("options", [(), ("--address", "/course/drive")])
def test_without_an_address_on_the_web_github_must_name_it(
    tmp_path: Path, python: dict[str, str], options: tuple[str, ...]
) -> None:
    step = install(workflow(tmp_path / "a", "luong", *options))
    assert step["env"] == {"ATTNGRADE": "${{ vars.ATTNGRADE_STUDENTS_URL }}"}
    unset = shell(step, tmp_path, python | {"ATTNGRADE": ""})
    assert unset.returncode == 1
    assert "Your course gives you the address" in unset.stdout
    assert not (tmp_path / "pip").exists()
    assert shell(step, tmp_path, python | {"ATTNGRADE": f"{COURSE}/"}).returncode == 0
    assert (tmp_path / "pip").read_text().splitlines()[1] == f"-m pip install {COURSE}/{edition.WHEEL}"


@pytest.mark.thorough
def test_the_step_fails_as_the_checks_do_and_shows_them(tmp_path: Path, python: dict[str, str]) -> None:
    """The very lines, in a shell, with a right and a wrong submission."""
    folder = tmp_path / "a"
    step = steps(workflow(folder, "bahdanau"))["Public checks"]
    right = (ROOT / "solutions" / "bahdanau" / "bahdanau.py").read_text()
    (folder / "bahdanau.ipynb").unlink()
    for text, status in {right: 0, right.replace("torch.tanh(", "torch.sigmoid("): 1}.items():
        (folder / "bahdanau.py").write_text(text)
        done = shell(step, folder, python)
        assert done.returncode == status, done.stdout + done.stderr
        token = re.search(r"^::stop-commands::(\w{32})$", done.stdout, re.MULTILINE)
        assert token
        assert done.stdout.splitlines()[-1] == f"::{token[1]}::"
    page = (tmp_path / "summary.md").read_text()  # a step appends to it
    assert page.count("## bahdanau: ") == 2
    assert "`wrong-activation`" in page.partition("## bahdanau: ")[2].partition("## bahdanau: ")[2]
    (suite,) = ET.parse(folder / "bahdanau.xml").getroot()
    expected = [check for check in assignments.load("bahdanau", hidden=False).checks if check.points]
    assert len(suite.findall("testcase")) == len(expected)
    assert int(suite.attrib["failures"]) > 0


def test_a_submission_writes_nothing_of_its_own_into_the_page() -> None:
    text = "````\n<img src=x onerror=alert(1)>\n``````\n[a](javascript:b)\n# Passed"
    failed = outcome("a-check", "failed", 1.0, 4.0, message=text, title="|<b>*x*")
    page = step_summary.page([grade("ada", [failed])])
    lines = page.splitlines()
    opening = next(line for line in lines if line.startswith("```"))
    assert opening == "```````text"  # longer than any in the text, so the text can't close it
    block = lines[lines.index(opening) + 1 : lines.index("```````")]
    assert "<img src=x onerror=alert(1)>" in block
    assert "<img" not in page.replace("\n".join(block), "")
    assert r"\|&lt;b&gt;\*x\*" in page


def test_a_check_that_fails_only_because_of_another_has_a_sign_of_its_own() -> None:
    first = outcome("a", "failed", 0.0, 1.0, diagnosis="missing-scale")
    page = step_summary.page([grade("ada", [first, replace(outcome("b", "failed", 1.0, 1.0), consequence_of="a")])])
    assert [page.count(f"\n| {sign} | ") for sign in "❌↳"] == [1, 1]


def test_hidden_checks_stay_out_of_the_files(run: Run, tmp_path: Path) -> None:
    done = run("check", tmp_path, "--full", "--summary", tmp_path / "s.md")
    assert done.status == 2
    assert "--full" in done.err
    assert not (tmp_path / "s.md").exists()


def test_no_file_is_overwritten(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path = tmp_path / ".github" / "workflows" / "attngrade.yml"
    path.parent.mkdir(parents=True)
    path.write_text("mine")
    assert app.run(["new", "luong", str(tmp_path), "--github"]) == 2
    assert ".github/workflows/attngrade.yml" in capsys.readouterr().err
    assert path.read_text() == "mine"
    assert not (tmp_path / "luong.py").exists()


def test_without_the_flag_there_is_none(tmp_path: Path) -> None:
    assert app.run(["new", "luong", str(tmp_path / "a")]) == 0
    assert not (tmp_path / "a" / ".github").exists()
