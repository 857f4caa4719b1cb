"""A graded class for every export."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.integrations.export.export_helpers import write_run


@pytest.fixture
def out(tmp_path: Path) -> Path:
    """The class, graded."""
    return write_run(tmp_path / "out")
