"""What all tests share: a seed, a cache and a home of their own, so that no test meets the user's."""

from __future__ import annotations

import contextlib
import os

# Before torch is imported anywhere: several test processes with several threads each only wait for each other.
os.environ.update(OMP_NUM_THREADS="1", MKL_NUM_THREADS="1", OPENBLAS_NUM_THREADS="1")

import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from autograder.cli import app
from autograder.sandbox import availability
from autograder.sandbox.availability import SandboxError
from autograder.sandbox.forkserver import ForkServer
from tests.command_helpers import CommandResult, Run
from tests.corpus.suites import SEED
from tests.made_once import Once, once_below
from tests.small_suite_helpers import LIMITS


def _caches(tmp_path_factory: pytest.TempPathFactory, config: pytest.Config) -> Path:
    """Return a folder for the caches of all test processes. Drawn exams stay in `.pytest_cache` for the next run: their
    names change with the grader's files, the versions and the seed."""
    base = tmp_path_factory.getbasetemp()
    folder = (base.parent if "PYTEST_XDIST_WORKER" in os.environ else base) / "cache"
    folder.mkdir(exist_ok=True)
    if config.pluginmanager.hasplugin("cacheprovider") and config.cache:
        with contextlib.suppress(FileExistsError):
            (folder / "attngrade").symlink_to(config.cache.mkdir("exams"))
    return folder


@pytest.fixture(autouse=True, scope="session")
def _own_settings(tmp_path_factory: pytest.TempPathFactory, pytestconfig: pytest.Config) -> Iterator[None]:
    home = tmp_path_factory.mktemp("home")
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("HOME", str(home))
        patch.setenv("XDG_CACHE_HOME", str(_caches(tmp_path_factory, pytestconfig)))
        patch.setenv("XDG_CONFIG_HOME", str(home / "config"))
        patch.setenv("ATTNGRADE_SEED", SEED)
        # As in an activated environment: nbgrader starts alembic, and otter jupyter, by their names.
        patch.setenv("PATH", f"{os.path.dirname(sys.executable)}{os.pathsep}{os.environ.get('PATH', os.defpath)}")
        yield


@pytest.fixture(scope="session")
def once(tmp_path_factory: pytest.TempPathFactory) -> Once:
    """Makes a folder in one of the test processes, for all of them."""
    return once_below(tmp_path_factory.getbasetemp())


@pytest.fixture
def run(capfd: pytest.CaptureFixture[str]) -> Run:
    """Runs a command in this process."""

    def call(*arguments: object) -> CommandResult:
        capfd.readouterr()
        status = app.run([str(argument) for argument in arguments])
        return CommandResult(status, *capfd.readouterr())

    return call


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
            availability, "missing", lambda _: dict.fromkeys(("seccomp", "namespaces", "uid", "landlock"), reason)
        )
        with pytest.raises(SandboxError, match=f"seccomp .{reason}"):
            ForkServer(LIMITS)
        running = ForkServer(LIMITS, unconfined=True)
        assert running.layers == ("limits", "closed")
        yield running
        running.close()
