"""Writes the scripts of checks, and runs many in one process without the grader: starting torch takes seconds."""

from __future__ import annotations

import json
import subprocess
import sys
from collections.abc import Iterable
from pathlib import Path
from typing import NamedTuple

from autograder import model
from autograder.grading.suite import CheckSuite
from autograder.instructor import repro
from autograder.intake.one_file import one_file

DRIVER = """
import contextlib, io, json, runpy, sys, traceback
sys.modules["autograder"] = None  # an import of it raises
done = {}
for path in sys.argv[1:]:
    sys.argv, printed, status = [path], io.StringIO(), 0
    with contextlib.redirect_stdout(printed), contextlib.redirect_stderr(printed):
        try:
            runpy.run_path(path, run_name="__main__")
        except SystemExit as error:
            status = error.code
        except BaseException:
            traceback.print_exc()
            status = "raised"
    done[path] = status, printed.getvalue()
print(json.dumps(done))
"""


class Played(NamedTuple):
    """How a script ended, and what it printed."""

    status: int | str
    printed: str


def script(suite: CheckSuite, check: model.Check, work: model.Submission, passed: bool = False) -> tuple[str, str]:
    """Return the script of a check, and the student's file that it reads, ``student.py``."""
    source = one_file(work)
    facts = repro.Facts("a check", "a grade", "script.py", "student.py", source.cells)
    return repro.script(suite.spec.assignment, check, suite.prepared, facts, passed, work), source.text


def played(folder: Path, suite: CheckSuite, checks: Iterable[model.Check], work: model.Submission) -> dict[str, Played]:
    """Run the scripts of checks on a work. Return how each ended, by check."""
    paths = {}
    for check in checks:
        text, student = script(suite, check, work)
        paths[check.id] = folder / f"{check.id}.py"
        paths[check.id].write_text(text, encoding="utf-8")
        (folder / "student.py").write_text(student, encoding="utf-8")
    call = [sys.executable, "-c", DRIVER, *map(str, paths.values())]
    done = subprocess.run(call, capture_output=True, text=True, check=True, cwd=folder)
    found = json.loads(done.stdout.splitlines()[-1])
    return {id: Played(*found[str(path)]) for id, path in paths.items()}


def work_of(*cells: str, kind: str = "script") -> model.Submission:
    """Return a work of these cells."""
    return model.Submission("ana", "ready", kind, "work.py", tuple(cell.encode() for cell in cells))  # type: ignore[arg-type]
