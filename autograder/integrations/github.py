"""Workflow files for a repository that holds one assignment: GitHub Classroom's autograding, and plain pytest.

Sources: the ``action.yml`` of autograding-command-grader and autograding-grading-reporter (classroom-resources, v1).
The command grader gives all of ``max-score``, a whole number, or nothing, so each check is a step of its own; the
reporter adds up what the steps named in ``runners`` leave in ``ID_RESULTS``. Classroom's Python grader is no choice: it
runs files called ``*_test.py`` only, in a container with Python 3.11.2, and gives each test the same points.
"""

from __future__ import annotations

import shlex
from typing import Any

import yaml

import autograder
from autograder import exam, specs

COMMAND_GRADER = "classroom-resources/autograding-command-grader@v1"
REPORTER = "classroom-resources/autograding-grading-reporter@v1"
CPU_WHEELS = "https://download.pytorch.org/whl/cpu"  # a tenth of the size of those with CUDA
STEP_MINUTES = 5  # a step starts Python and grades the whole file: seconds, a minute on a bad day

CLASSROOM = """\
# GitHub Classroom: the public checks of {topic} with their points, as often as something is pushed.
# Made by: attngrade new {topic} --github. In Classroom choose "Custom YAML" for the autograding, and protect .github/**
# and test_{topic}.py. Whoever owns a repository can change what runs in it, and the hidden checks are not here: these
# points tell students where they stand; grades come from attngrade grade.
"""
PLAIN = """\
# The public checks of {topic} by pytest, with a report that build servers read.
# Made by: attngrade new {topic} --github-plain
"""


def classroom(topic: str) -> str:
    """``.github/workflows/classroom.yml``: a step a check, and the reporter."""
    steps = [_step(topic, check.id, check.title, check.points) for check in _checks(topic)]
    ids = [step["id"] for step in steps]
    reporter = {
        "name": "Autograding Reporter",
        "uses": REPORTER,
        "env": {f"{id.upper()}_RESULTS": "${{ steps." + id + ".outputs.result }}" for id in ids},
        "with": {"runners": ",".join(ids)},
    }
    job = {"if": "github.actor != 'github-classroom[bot]'", **_job([*_set_up(), *steps, reporter])}
    jobs = {
        "run-autograding-tests": job
    }  # named, and left alone by the bot's own pushes, as Classroom's own are
    head = {"name": "Autograding Tests", "on": ["push", "repository_dispatch", "workflow_dispatch"]}
    rights = {"permissions": {"checks": "write", "actions": "read", "contents": "read"}}
    return CLASSROOM.format(topic=topic) + _dumped({**head, **rights, "env": _source(), "jobs": jobs})


def plain(topic: str) -> str:
    """``.github/workflows/pytest.yml``: pytest with --junitxml, and nothing of Classroom's."""
    report = f"{topic}.xml"
    steps = [
        *_set_up(),
        {"name": "Checks", "run": f"python -m pytest -q test_{topic}.py --junitxml={report}"},
        {
            "name": "Keep the report",
            "if": "${{ !cancelled() }}",
            "uses": "actions/upload-artifact@v4",
            "with": {"name": "checks", "path": report},
        },
    ]
    head = {"name": "Checks", "on": ["push", "workflow_dispatch"], "permissions": {"contents": "read"}}
    return PLAIN.format(topic=topic) + _dumped({**head, "env": _source(), "jobs": {"checks": _job(steps)}})


def _checks(topic: str) -> list[Any]:
    """The checks that a workflow can run. Speed is measured when the submission is graded, on a quiet machine."""
    checks = [one for one in specs.load(topic, hidden=False).checks if one.points and one.kind != "timing"]
    if any(one.points != int(one.points) for one in checks):
        raise exam.ExamError(
            f"a check of {topic} has a fraction of a point, which GitHub Classroom can't give"
        )
    return checks


def _step(topic: str, check_id: str, title: str, points: float) -> dict[str, Any]:
    item = f"test_{topic}.py::test_public_check[{check_id}]"
    return {
        "name": title,
        "id": check_id,
        "uses": COMMAND_GRADER,
        "with": {
            "test-name": title,
            "command": f"python -m pytest -q --no-header {shlex.quote(item)}",
            "timeout": STEP_MINUTES,
            "max-score": int(points),
        },
    }


def _source() -> dict[str, str]:
    return {"ATTNGRADE": f"attngrade=={autograder.__version__}"}


def _set_up() -> list[dict[str, Any]]:
    install = (
        f'python -m pip install torch --index-url {CPU_WHEELS}\npython -m pip install "$ATTNGRADE" pytest\n'
    )
    return [
        {"name": "Checkout code", "uses": "actions/checkout@v4"},
        {
            "name": "Python",
            "uses": "actions/setup-python@v5",
            "with": {"python-version": "3.12"},
        },
        {"name": "Install attngrade, the students' edition", "run": install},
    ]


def _job(steps: list[dict[str, Any]]) -> dict[str, Any]:
    return {"runs-on": "ubuntu-latest", "timeout-minutes": 60, "steps": steps}


class _Dumper(yaml.SafeDumper):
    """Writes text of several lines as a block, as people would."""


def _text(dumper: yaml.SafeDumper, text: str) -> yaml.ScalarNode:
    style = "|" if "\n" in text else None
    return dumper.represent_scalar("tag:yaml.org,2002:str", text, style=style)


_Dumper.add_representer(str, _text)


def _dumped(workflow: dict[str, Any]) -> str:
    return yaml.dump(workflow, Dumper=_Dumper, sort_keys=False, allow_unicode=True, width=200)
