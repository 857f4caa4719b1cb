"""Classroom 50: the result file of one submission, and the program that its runner starts.

Sources: foundation50/classroom50, ``schemas/result-v1.schema.json`` and "Advanced Autograding" in its wiki. The runner
names the submission in environment variables, and checks the file or stamps its own facts into it. Only public checks
belong here: what the runner reads lies on GitHub Pages, where students can find it.
"""

import os
from collections.abc import Mapping
from datetime import UTC, datetime
from pathlib import Path

import msgspec

from autograder import model
from autograder.integrations import edition
from autograder.integrations.export.job import reasons
from autograder.model.text import escaped_json, harmless
from autograder.runs.results import write_whole

SCHEMA = "classroom50/result/v1"
UNIT = 100  # its scores are whole numbers, so they count hundredths of a point
FACTS = {  # key in the file -> variables of the runner, the first that is set counts
    "classroom": ("CLASSROOM",),
    "assignment": ("ASSIGNMENT",),
    "assignment_type": ("ASSIGNMENT_TYPE",),
    "owner": ("OWNER", "USERNAME"),
    "submission": ("SUBMISSION_TAG",),
    "commit": ("COMMIT_URL",),
    "release": ("RELEASE_URL",),
    "review": ("REVIEW_URL", "COMMIT_URL"),
}
STAMPED = ("assignment_type", "owner")  # by newer runners
NAME = "classroom50/autograder.py"
PROGRAM = '''\
"""Classroom 50 runs this for every submission of {assignment}: the public checks.

Made by: attngrade new {assignment} --classroom50
Put it into CLASSROOM/autograders/ASSIGNMENT/ of your classroom50 repository.
"""

import os
import subprocess
import sys

RESULT = "result.json"
PYTHON = [sys.executable, "-P"]  # -P: no module of the submission takes the place of an installed one


def install(*arguments):
    subprocess.run([*PYTHON, "-m", "pip", "install", "--quiet", *arguments], check=True)


if os.path.lexists(RESULT):  # committed by the student
    os.unlink(RESULT)
install({torch})
install({wheel!r})
subprocess.run([*PYTHON, "-m", "autograder", "check", ".", "--assignment", {assignment!r}, "--classroom50", RESULT])
sys.exit(0 if os.path.exists(RESULT) else 1)  # a failed check is no failure of this program
'''


class Classroom50Error(Exception):
    """There is no result to write. The message says why."""


class TestResult(msgspec.Struct, frozen=True, rename="kebab"):
    """One check's entry in the file."""

    test_name: str
    passed: bool
    score: int
    max_score: int
    message: str


def program(assignment: str, address: str) -> str:
    """Return the text of ``autograder.py``. Raises Classroom50Error without an address on the web."""
    if not address.startswith("https://"):
        raise Classroom50Error(
            "--classroom50 needs the address of the students' edition on the web; give it as --address https://…"
        )
    torch = ", ".join(repr(word.strip('"')) for word in edition.torch_line().removeprefix("pip install ").split())
    return PROGRAM.format(assignment=assignment, torch=torch, wheel=edition.wheel(address))


def write(path: Path, grade: model.Grade, variables: Mapping[str, str] = os.environ) -> None:
    """Write ``result.json``. Raises Classroom50Error if the runner's variables are missing or the grader failed."""
    write_whole(
        path, escaped_json(msgspec.json.format(msgspec.json.encode(result(grade, variables)), indent=2)) + b"\n"
    )


def result(grade: model.Grade, variables: Mapping[str, str]) -> dict[str, object]:
    """Return the result of a submission; see ``write``."""
    if grade.status == "infrastructure-error":
        raise Classroom50Error(f"no result is written, because attngrade itself failed: {grade.message}")
    ran = grade.status in ("graded", "partial")
    counted = [check for check in grade.checks if check.kind != "timing" and not (ran and check.status == "skipped")]
    tests = [_result_of(check) for check in counted if check.max_points]
    return {
        "schema": SCHEMA,
        **_facts(variables),
        "datetime": datetime.now(UTC).strftime("%Y-%m-%dT%H:%M:%SZ"),
        "score": sum(test.score for test in tests),
        "max-score": sum(test.max_score for test in tests),
        "tests": tests,
    }


def _facts(variables: Mapping[str, str]) -> dict[str, str]:
    """Return what the runner says about the submission."""
    facts = {}
    for key, names in FACTS.items():
        value = next((variables[name] for name in names if variables.get(name, "").strip()), None)
        if value:
            facts[key] = value
        elif key not in STAMPED:
            raise Classroom50Error(
                f"--classroom50 works in Classroom 50's runner, which sets {names[0]}; for other purposes use --json"
            )
    return facts


def _result_of(check: model.Outcome) -> TestResult:
    name, passed = harmless(f"{check.title} [{check.id}]"), check.status == "passed"
    return TestResult(name, passed, round(check.points * UNIT), round(check.max_points * UNIT), reasons(check))
