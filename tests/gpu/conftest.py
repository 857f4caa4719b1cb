"""One CUDA fork server for all tests of ``make gpu``. Without a working device they fail, and say why."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from autograder.grading import gpu
from autograder.sandbox.forkserver import ForkServer
from autograder.sandbox.limits import Limits


@pytest.fixture(scope="session")
def cuda() -> Iterator[ForkServer]:
    """A fork server whose workers may use the device. No device is a failure here: nothing would have been tested."""
    if not gpu.present():
        pytest.fail("there is no CUDA device on this machine, so make gpu tests nothing here")
    server = ForkServer(Limits(), device="cuda")
    yield server
    server.close()
