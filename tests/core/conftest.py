"""One fork server for all tests of the core."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from autograder.sandbox import standing
from autograder.sandbox.forkserver import ForkServer
from autograder.sandbox.standing import SandboxError
from tests.core.tools import LIMITS


@pytest.fixture(scope="session")
def server() -> Iterator[ForkServer]:
    """Tests may hurt it; it is started again by itself."""
    running = ForkServer(LIMITS)
    yield running
    running.close()


@pytest.fixture
def porous(monkeypatch: pytest.MonkeyPatch) -> Iterator[ForkServer]:
    """A server on a machine that can't keep workers from starting processes, nor from seeing others."""
    reason = "this test's"
    with monkeypatch.context() as patch:
        patch.setattr(
            standing, "missing", lambda: dict.fromkeys(("seccomp", "namespaces", "uid", "landlock"), reason)
        )
        with pytest.raises(SandboxError, match=f"seccomp .{reason}"):
            ForkServer(LIMITS)
        running = ForkServer(LIMITS, unconfined=True)
        assert running.layers == ("limits", "closed")
        yield running
        running.close()
