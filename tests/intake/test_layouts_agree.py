"""Sixty students' work is read the same in every layout, as the programs that hand it out write it."""

from __future__ import annotations

from pathlib import Path

import pytest

from autograder.intake import discover, opened, read
from tests.intake.class_layouts import LAYOUTS, Layout, folder, packed, written, zips


def found(path: Path) -> dict[str, tuple[str, str]]:
    """Return status and identity of each student's work; students by the number in their names."""
    with opened(path) as place:
        works = {entry.student: read(entry, "bahdanau") for entry in discover(place, "bahdanau")}
    known = {name[name.index("student") :][: len("student00")]: work for name, work in works.items()}
    assert len(known) == len(works)
    return {student: (work.status, work.digest) for student, work in known.items()}


@pytest.fixture(scope="module")
def expected(tmp_path_factory: pytest.TempPathFactory) -> dict[str, tuple[str, str]]:
    works = found(written(tmp_path_factory.mktemp("folder"), folder()))
    counts = [sum(status == one for status, _ in works.values()) for one in ("ready", "missing", "unreadable")]
    assert counts == [42, 12, 6]
    return works


@pytest.mark.parametrize("layout", LAYOUTS, ids=lambda layout: layout.__name__)
def test_every_layout_gives_the_same_works(
    layout: Layout, expected: dict[str, tuple[str, str]], tmp_path: Path
) -> None:
    assert found(written(tmp_path / "class", layout())) == expected


def test_so_does_the_zip_of_a_class(expected: dict[str, tuple[str, str]], tmp_path: Path) -> None:
    (tmp_path / "export.zip").write_bytes(packed({f"class/{name}": data for name, data in zips()}))
    assert found(tmp_path / "export.zip") == expected
