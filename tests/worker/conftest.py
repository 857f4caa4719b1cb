"""Fixtures of the worker's tests."""

from __future__ import annotations

import sys
from collections.abc import Iterator

import pytest

from autograder.worker import imports


@pytest.fixture
def inert_modules() -> Iterator[None]:
    """Replaces matplotlib and its like in this process, as a worker does, for one test."""
    path, kept = sys.meta_path[:], replaced()
    imports.install()
    yield
    sys.meta_path[:] = path
    for name in replaced():
        del sys.modules[name]
    sys.modules.update(kept)


def replaced() -> dict[str, object]:
    return {name: module for name, module in sys.modules.items() if name.partition(".")[0] in imports.INERT}
