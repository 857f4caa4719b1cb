"""Where caches and proposals lie, and that nothing is lost or said where they can't."""

from __future__ import annotations

from pathlib import Path

import pytest

from autograder import caches, regrade
from autograder.shelf import Shelf


def test_the_users_own_folder(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    assert caches.folder("some") == tmp_path / "cache" / "some"
    monkeypatch.delenv("XDG_CACHE_HOME")
    monkeypatch.setenv("HOME", str(tmp_path))
    assert caches.folder("some") == tmp_path / ".cache" / "some"


def test_where_there_is_none_nothing_is_kept(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setenv(
        "XDG_CACHE_HOME", "beside"
    )  # relative: to be ignored (XDG base directory specification)
    monkeypatch.chdir(tmp_path)
    shelf = Shelf("bahdanau", "seed")
    assert shelf.put("some", 1) == 1
    assert shelf.take("some", int) is None
    regrade.discard(tmp_path / "out")  # there is nothing to forget
    assert list(tmp_path.iterdir()) == []
