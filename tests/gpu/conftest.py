"""CUDA fork servers for all tests of ``make gpu``. Without a working device they fail, and say why."""

from __future__ import annotations

from collections.abc import Callable, Iterator

import pytest

from autograder.grading import gpu
from autograder.grading.usual import usual_limits
from autograder.sandbox.forkserver import ForkServer
from tests.grading_helpers import fork_servers

Servers = Callable[[str], ForkServer]


@pytest.fixture(scope="session")
def servers() -> Iterator[Servers]:
    """A function from an assignment to a fork server with its limits, whose workers may use the device.

    No device is a failure here: nothing would have been tested.
    """
    if not gpu.present():
        pytest.fail("there is no CUDA device on this machine, so make gpu tests nothing here")

    with fork_servers(device="cuda") as server:
        yield lambda assignment: server(usual_limits(assignment))


@pytest.fixture(scope="session")
def cpu_servers() -> Iterator[Servers]:
    """The same on the CPU, to compare with."""
    with fork_servers() as server:
        yield lambda assignment: server(usual_limits(assignment))
