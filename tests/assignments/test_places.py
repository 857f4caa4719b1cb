"""Where courses' assignments are found: in named folders, in an edition that carries them, in installed packages."""

from __future__ import annotations

import os
import sys
from collections.abc import Iterator
from importlib import metadata
from pathlib import Path

import pytest

from autograder import model
from autograder.assignments import places


def course(folder: Path, *names: str) -> Path:
    """Make a folder with assignments."""
    for name in names:
        (folder / name).mkdir(parents=True)
        (folder / name / "checks.py").write_text("")
    return folder


@pytest.fixture(autouse=True)
def _nothing_installed(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Iterator[None]:
    monkeypatch.setattr(places, "CARRIED", tmp_path / "courses")
    monkeypatch.setattr(metadata, "entry_points", lambda group: [])
    places._installed.cache_clear()
    yield
    places._installed.cache_clear()


def named(monkeypatch: pytest.MonkeyPatch, *folders: Path) -> None:
    monkeypatch.setenv("ATTNGRADE_COURSE", os.pathsep.join(map(str, folders)))


def installed(monkeypatch: pytest.MonkeyPatch, site: Path, package: str) -> None:
    """Let a package be installed that names itself as a course."""
    monkeypatch.syspath_prepend(str(site))
    entry = metadata.EntryPoint("my_course", package, places.GROUP)
    monkeypatch.setattr(metadata, "entry_points", lambda group: [entry] if group == places.GROUP else [])
    places._installed.cache_clear()
    monkeypatch.delitem(sys.modules, package, raising=False)


def test_a_folder_that_is_named_twice_counts_once(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    one, two = course(tmp_path / "one", "norm", "pool"), course(tmp_path / "two", "beam")
    (tmp_path / "link").symlink_to(one)
    named(monkeypatch, one, two, one, tmp_path / "link")
    assert places.found_in_courses() == {"norm": one / "norm", "pool": one / "pool", "beam": two / "beam"}


def test_an_installed_package_is_a_course(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    folder = course(tmp_path / "site" / "a_course_of_tests", "norm")
    (folder / "__init__.py").write_text("")
    installed(monkeypatch, tmp_path / "site", folder.name)
    assert places.found_in_courses() == {"norm": folder / "norm"}
    named(monkeypatch, folder)  # as its author does who works on it
    assert places.found_in_courses() == {"norm": folder / "norm"}


def test_what_an_edition_carries_goes_before_a_package(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    folder = course(tmp_path / "site" / "a_course_of_tests", "norm", "pool")
    (folder / "__init__.py").write_text("")
    installed(monkeypatch, tmp_path / "site", folder.name)
    course(places.CARRIED, "norm")
    assert places.found_in_courses() == {"norm": places.CARRIED / "norm", "pool": folder / "pool"}


@pytest.mark.parametrize(
    ("folders", "why"),
    [
        (("one", "two"), r"two.norm: there is another assignment norm; rename one of them"),
        (("one/norm",), r"one.norm is an assignment itself; name the folder that holds it"),
        (("three",), r"three is no folder"),
    ],
)
def test_folders_that_cannot_be_meant(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path, folders: tuple[str, ...], why: str
) -> None:
    course(tmp_path / "one", "norm")
    course(tmp_path / "two", "norm")
    named(monkeypatch, *(tmp_path / name for name in folders))
    with pytest.raises(model.CourseError, match=why):
        places.found_in_courses()
