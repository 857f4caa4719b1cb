"""Every worker of the tests' clusters loads this file (``--preload``). It changes how the worker grades."""

from __future__ import annotations

import os
import signal
from pathlib import Path
from typing import Any

from autograder import model
from autograder.grading import fingerprints
from autograder.runs import pool

FOLDER = Path(os.environ["TEST_FOLDER"])
OPTIONS = os.environ.get("TEST_WORKER", "").split()
if pool.Grader.grade.__name__ == "grade":  # Dask loads this file twice, into one module
    grade = pool.Grader.grade


def watched(self: pool.Grader, submission: model.Submission) -> model.Grade:
    """Log who grades whom, then do what the test wants."""
    with (FOLDER / "log").open("a") as log:
        log.write(f"{os.getpid()} {submission.student}\n")
    if submission.student == "poison":
        os.kill(os.getpid(), signal.SIGKILL)
    found = grade(self, submission)
    if "doomed" in OPTIONS:  # it reports its first submission and keeps it forever; opening waits for the reader
        (FOLDER / "fifo").write_text(f"{os.getpid()} {submission.student}")
        signal.pause()
    return found


class Nothing:
    """In the place of fork servers and graders, where it does not matter what is graded."""

    def __init__(self, plan: pool.RunPlan, *_: Any) -> None:
        self.plan = plan

    def split(self) -> None:
        """Of nothing."""

    def close(self) -> None:
        """Nothing."""

    def grade(self, submission: model.Submission) -> model.Grade:
        """Half of the points."""
        return model.Grade(submission.student, self.plan.assignment, 50.0, 100.0, "graded", (), {})


if "quick" in OPTIONS:
    grade = Nothing.grade  # type: ignore[assignment]
    pool.server_of = Nothing  # type: ignore[assignment, misc]
    pool.suite_of = lambda plan: None  # type: ignore[assignment]
    pool.Grader.__init__ = Nothing.__init__  # type: ignore[assignment]
    pool.Grader.close = Nothing.close  # type: ignore[assignment]
if "other" in OPTIONS:
    fingerprints.of_grader = lambda: "other files"
pool.Grader.grade = watched  # type: ignore[method-assign]
