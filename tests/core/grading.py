"""The small exam, and what a submission gets in it."""

from __future__ import annotations

import contextlib
import sys
from collections.abc import Iterator
from typing import Any

import msgspec
import pytest

from autograder import model
from autograder.runner import Runner
from autograder.sandbox.forkserver import ForkServer
from tests.core.tools import RIGHT, exam, script

linux = pytest.mark.skipif(sys.platform != "linux", reason="Linux only")

ENDLESS = "while True: pass"


def graded(server: Any, work: model.Submission | str) -> model.Grade:
    """The grade of a submission in the small exam."""
    return Runner(exam(), server).grade(script(work) if isinstance(work, str) else work)


def statuses(grade: model.Grade) -> list[str]:
    """The checks' statuses: of double, halve and negate."""
    return [check.status for check in grade.checks]


def halving(body: str) -> str:
    """A right submission but for ``halve``."""
    return RIGHT.replace("    return x / 2\n", "".join(f"    {line}\n" for line in body.splitlines()))


@contextlib.contextmanager
def limited(server: ForkServer, **changes: Any) -> Iterator[ForkServer]:
    """The server with other limits on the grader's side."""
    before = server.limits
    server.limits = msgspec.structs.replace(before, **changes)
    yield server
    server.limits = before
