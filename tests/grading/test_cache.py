"""Where caches and proposals lie, and that nothing is kept or reported where they can't lie anywhere."""

from __future__ import annotations

import pwd
from pathlib import Path

import pytest

from autograder.grading.cache import SuiteCache, user_folder
from autograder.runs import regrade


def test_the_users_own_folder(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    assert user_folder("some") == tmp_path / "cache" / "some"
    monkeypatch.delenv("XDG_CACHE_HOME")
    monkeypatch.setenv("HOME", str(tmp_path))
    assert user_folder("some") == tmp_path / ".cache" / "some"


def test_a_relative_folder_is_ignored(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    """The XDG base directory specification says so; platformdirs then takes the default."""
    monkeypatch.setenv("HOME", str(tmp_path))
    monkeypatch.setenv("XDG_CACHE_HOME", "beside")
    assert user_folder("some") == tmp_path / ".cache" / "some"


def test_without_a_home_nothing_is_kept(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    """platformdirs asks the password database if HOME is empty or relative, and raises RuntimeError if that fails."""

    def unknown(user: int) -> None:
        raise KeyError(user)

    monkeypatch.delenv("XDG_CACHE_HOME")
    monkeypatch.setenv("HOME", "")
    monkeypatch.setattr(pwd, "getpwuid", unknown)
    monkeypatch.chdir(tmp_path)
    cache = SuiteCache("bahdanau", "seed")
    assert cache.put("some", 1) == 1
    assert cache.take("some", int) is None
    regrade.discard(tmp_path / "out")  # there is nothing to remove
    assert list(tmp_path.iterdir()) == []
