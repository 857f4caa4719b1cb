"""Workflow files for a repository with one assignment: GitHub Classroom's autograding, and plain pytest.

Sources: the ``action.yml`` of autograding-command-grader and autograding-grading-reporter (classroom-resources, v1).
The command grader gives all of ``max-score`` (an integer) or nothing, so each check is a separate step: the points that
a failed check gets back, because one mistake costs once, are missing there. The reporter
adds up the results of the steps named in ``runners``, from ``ID_RESULTS``. Classroom's Python grader is unsuitable: it
runs only files called ``*_test.py``, in a container with Python 3.11.2, and gives each test the same points.
"""

import math
import shlex
from collections.abc import Sequence
from fractions import Fraction
from typing import Any

import yaml

import autograder
from autograder import assignments, model

COMMAND_GRADER = "classroom-resources/autograding-command-grader@v1"
REPORTER = "classroom-resources/autograding-grading-reporter@v1"
CPU_WHEELS = "https://download.pytorch.org/whl/cpu"  # a tenth of the size of those with CUDA
STEP_MINUTES = 5  # a step starts Python and grades the file: usually seconds, rarely a minute

CLASSROOM = """\
# GitHub Classroom: runs the public checks of {assignment} on every push and shows their points.
# Made by: attngrade new {assignment} --github
# In Classroom, choose "Custom YAML" for the autograding, and protect .github/** and test_{assignment}.py.
# The owner of a repository can change this workflow, and it has no hidden checks. So these points show students
# their progress only. The grades come from: attngrade grade
"""
SCALED = "# Classroom adds up whole points, so they are {factor} times the points of the handout here.\n"
PLAIN = """\
# Runs the public checks of {assignment} with pytest, and keeps a JUnit report.
# Made by: attngrade new {assignment} --github-plain
"""


def classroom(assignment: str) -> str:
    """Return ``.github/workflows/classroom.yml``: a step for each check, and the reporter."""
    checks = _checks(assignment)
    factor = _factor(checks)
    steps = [_step(assignment, check.id, check.title, round(check.points * factor)) for check in checks]
    ids = [step["id"] for step in steps]
    reporter = {
        "name": "Autograding Reporter",
        "uses": REPORTER,
        "env": {f"{id.upper()}_RESULTS": "${{ steps." + id + ".outputs.result }}" for id in ids},
        "with": {"runners": ",".join(ids)},
    }
    job = {"if": "github.actor != 'github-classroom[bot]'", **_job([*_set_up(), *steps, reporter])}
    jobs = {"run-autograding-tests": job}  # name and condition are those of Classroom's own workflows
    head = {"name": "Autograding Tests", "on": ["push", "repository_dispatch", "workflow_dispatch"]}
    rights = {"permissions": {"checks": "write", "actions": "read", "contents": "read"}}
    about = CLASSROOM.format(assignment=assignment) + (SCALED.format(factor=factor) if factor > 1 else "")
    return about + _dumped({**head, **rights, "env": _source(), "jobs": jobs})


def plain(assignment: str) -> str:
    """Return ``.github/workflows/pytest.yml``: pytest with --junitxml, without Classroom."""
    report = f"{assignment}.xml"
    steps = [
        *_set_up(),
        {"name": "Checks", "run": f"python -m pytest -q test_{assignment}.py --junitxml={report}"},
        {
            "name": "Keep the report",
            "if": "${{ !cancelled() }}",
            "uses": "actions/upload-artifact@v4",
            "with": {"name": "checks", "path": report},
        },
    ]
    head = {"name": "Checks", "on": ["push", "workflow_dispatch"], "permissions": {"contents": "read"}}
    return PLAIN.format(assignment=assignment) + _dumped({**head, "env": _source(), "jobs": {"checks": _job(steps)}})


def _checks(assignment: str) -> list[model.Check]:
    """Return the checks that a workflow can run. Speed is measured only in grading, on a quiet machine."""
    return [c for c in assignments.load(assignment, hidden=False).checks if c.points and c.kind != "timing"]


def _factor(checks: Sequence[model.Check]) -> int:
    """Return the smallest number that makes the points of all checks whole."""
    return math.lcm(*(Fraction(check.points).limit_denominator(100).denominator for check in checks))


def _step(assignment: str, check_id: str, title: str, points: int) -> dict[str, Any]:
    item = f"test_{assignment}.py::test_public_check[{check_id}]"
    return {
        "name": title,
        "id": check_id,
        "uses": COMMAND_GRADER,
        "with": {
            "test-name": title,
            "command": f"python -m pytest -q --no-header {shlex.quote(item)}",
            "timeout": STEP_MINUTES,
            "max-score": points,
        },
    }


def _source() -> dict[str, str]:
    return {"ATTNGRADE": f"attngrade=={autograder.__version__}"}


def _set_up() -> list[dict[str, Any]]:
    install = f'python -m pip install torch --index-url {CPU_WHEELS}\npython -m pip install "$ATTNGRADE" pytest\n'
    return [
        {"name": "Checkout code", "uses": "actions/checkout@v4"},
        {"name": "Python", "uses": "actions/setup-python@v5", "with": {"python-version": "3.12"}},
        {"name": "Install attngrade, the students' edition", "run": install},
    ]


def _job(steps: list[dict[str, Any]]) -> dict[str, Any]:
    return {"runs-on": "ubuntu-latest", "timeout-minutes": 60, "steps": steps}


class _Dumper(yaml.SafeDumper):
    """Writes multi-line text as a block."""


def _text(dumper: yaml.SafeDumper, text: str) -> yaml.ScalarNode:
    style = "|" if "\n" in text else None
    return dumper.represent_scalar("tag:yaml.org,2002:str", text, style=style)


_Dumper.add_representer(str, _text)


def _dumped(workflow: dict[str, Any]) -> str:
    return yaml.dump(workflow, Dumper=_Dumper, sort_keys=False, allow_unicode=True, width=200)
