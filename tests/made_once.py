"""What is dear to make and needed by several test processes is made once."""

from __future__ import annotations

import os
import shutil
from collections.abc import Callable
from pathlib import Path

import filelock

# ``once(name, make)`` returns the folder that ``make`` filled, in whichever test process came first.
Once = Callable[[str, Callable[[Path], None]], Path]


def once_below(base: Path) -> Once:
    """Return ``once``, which makes its folders beside those of all test processes. ``base`` is this process's."""
    shared = base.parent if "PYTEST_XDIST_WORKER" in os.environ else base

    def once(name: str, make: Callable[[Path], None]) -> Path:
        with filelock.FileLock(shared / f"{name}.lock"):
            if not (shared / name).exists():
                part = shared / f"{name}.part"
                shutil.rmtree(part, ignore_errors=True)  # of a process that failed
                part.mkdir()
                make(part)
                part.rename(shared / name)
        return shared / name

    return once
