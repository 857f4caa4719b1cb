"""Grading submissions in the small suite."""

from __future__ import annotations

import contextlib
import sys
from collections.abc import Iterator
from typing import Any

import msgspec
import pytest

from autograder import model
from autograder.grading.runner import Runner
from autograder.sandbox.forkserver import ForkServer
from tests.small_suite_helpers import RIGHT, script, suite

linux = pytest.mark.skipif(sys.platform != "linux", reason="Linux only")

ENDLESS = "while True: pass"


def graded(server: Any, work: model.Submission | str) -> model.Grade:
    """Return the grade of a submission in the small suite."""
    return Runner(suite(), server).grade(script(work) if isinstance(work, str) else work)


def statuses(grade: model.Grade) -> list[str]:
    """Return the statuses of the checks double, halve and negate."""
    return [check.status for check in grade.checks]


def halving(body: str) -> str:
    """Return a submission that is right except for ``halve``."""
    return RIGHT.replace("    return x / 2\n", "".join(f"    {line}\n" for line in body.splitlines()))


@contextlib.contextmanager
def limited(server: ForkServer, **changes: Any) -> Iterator[ForkServer]:
    """Change the server's limits on the grader's side."""
    before = server.limits
    server.limits = msgspec.structs.replace(before, **changes)
    yield server
    server.limits = before
