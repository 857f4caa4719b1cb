"""What all tests share: a seed, a cache and a home of their own, so that no test meets the user's."""

from __future__ import annotations

import os

# Before torch is imported anywhere: several test processes with several threads each only wait for each other.
os.environ.update(OMP_NUM_THREADS="1", MKL_NUM_THREADS="1", OPENBLAS_NUM_THREADS="1")

import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from autograder import cli
from tests.running import Run, Told

ROOT = Path(__file__).resolve().parent.parent


@pytest.fixture(autouse=True, scope="session")
def _own_settings(tmp_path_factory: pytest.TempPathFactory) -> Iterator[None]:
    home = tmp_path_factory.mktemp("home")
    cache = tmp_path_factory.getbasetemp()
    if "PYTEST_XDIST_WORKER" in os.environ:  # what one test process has computed, another need not
        cache = cache.parent
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("HOME", str(home))
        patch.setenv("XDG_CACHE_HOME", str(cache / "cache"))
        patch.setenv("XDG_CONFIG_HOME", str(home / "config"))
        patch.setenv("ATTNGRADE_SEED", "the tests' seed")
        # As in an activated environment: nbgrader starts alembic, and otter jupyter, by their names.
        patch.setenv(
            "PATH", f"{os.path.dirname(sys.executable)}{os.pathsep}{os.environ.get('PATH', os.defpath)}"
        )
        yield


@pytest.fixture
def run(capfd: pytest.CaptureFixture[str]) -> Run:
    """Runs a command in this process."""

    def call(*arguments: object) -> Told:
        capfd.readouterr()
        status = cli.run([str(argument) for argument in arguments])
        return Told(status, *capfd.readouterr())

    return call
