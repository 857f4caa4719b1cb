"""One fork server for all tests of the corpus."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from autograder.assignments import NAMES
from autograder.grading.usual import declared_limits
from autograder.sandbox.forkserver import ForkServer
from autograder.sandbox.limits import Limits, altered


@pytest.fixture(scope="session")
def server() -> Iterator[ForkServer]:
    limits = Limits()
    for name in NAMES:  # the widest that any assignment declares
        limits = altered(limits, declared_limits(name))
    running = ForkServer(limits)
    yield running
    running.close()
