"""A folder for several test processes: made once, and again if making it failed."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.made_once import once_below


def test_it_is_made_once_and_again_where_that_failed(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("PYTEST_XDIST_WORKER", raising=False)
    calls: list[str] = []

    def make(folder: Path) -> None:
        calls.append("made")
        (folder / "half").touch()
        if len(calls) == 1:
            raise ValueError("not yet")
        (folder / "whole").touch()

    once = once_below(tmp_path)
    with pytest.raises(ValueError, match="not yet"):
        once("thing", make)
    assert {path.name for path in once("thing", make).iterdir()} == {"half", "whole"}
    assert once("thing", make) == tmp_path / "thing"
    assert len(calls) == 2
