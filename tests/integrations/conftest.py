"""What is dear to make and needed by several test processes is made once."""

from __future__ import annotations

import fcntl
import os
from collections.abc import Callable
from pathlib import Path

import pytest


@pytest.fixture(scope="session")
def once(tmp_path_factory: pytest.TempPathFactory) -> Callable[[str, Callable[[Path], None]], Path]:
    """``once(name, make)``: the folder that ``make`` filled, in whichever test process came first."""
    base = tmp_path_factory.getbasetemp()
    if "PYTEST_XDIST_WORKER" in os.environ:
        base = base.parent

    def call(name: str, make: Callable[[Path], None]) -> Path:
        with (base / f"{name}.lock").open("w") as lock:
            fcntl.flock(lock, fcntl.LOCK_EX)
            if not (base / name).exists():
                part = base / f"{name}.part"
                part.mkdir()
                make(part)
                part.rename(base / name)
        return base / name

    return call
