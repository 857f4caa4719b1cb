"""One fork server for all tests of the corpus."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from autograder.sandbox.forkserver import ForkServer
from autograder.sandbox.limits import Limits


@pytest.fixture(scope="session")
def server() -> Iterator[ForkServer]:
    running = ForkServer(Limits())
    yield running
    running.close()
