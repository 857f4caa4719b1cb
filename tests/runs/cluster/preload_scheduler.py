"""Loaded by the scheduler of the tests' clusters: says its address as soon as it listens."""

from __future__ import annotations

import os
from typing import Any


def dask_setup(scheduler: Any) -> None:
    """Called by Dask."""
    with open(int(os.environ["TEST_READY"]), "w") as file:
        file.write(scheduler.address)
