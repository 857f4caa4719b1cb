"""One fork server for all tests of the core."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from autograder.sandbox.forkserver import ForkServer
from tests.core.tools import LIMITS


@pytest.fixture(scope="session")
def server() -> Iterator[ForkServer]:
    """Tests may hurt it; it is started again by itself."""
    running = ForkServer(LIMITS)
    yield running
    running.close()
