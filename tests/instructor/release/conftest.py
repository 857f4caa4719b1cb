"""What the tests of the generator share."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest

from tests.paths import ROOT


@pytest.fixture(scope="session")
def root() -> Path:
    """The repository."""
    return ROOT


@pytest.fixture
def checkout(tmp_path: Path) -> Path:
    """A copy of the sources and of what is made from them, to be spoilt at will."""
    for folder in ("solutions", "assignments"):
        shutil.copytree(ROOT / folder, tmp_path / folder, ignore=shutil.ignore_patterns("__pycache__"))
    return tmp_path
