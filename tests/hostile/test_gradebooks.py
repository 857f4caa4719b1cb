"""An nbgrader gradebook that something else has written into: it is refused with a reason, and gives no odd score."""

from __future__ import annotations

import sqlite3
from pathlib import Path
from typing import Any

import pytest

pytest.importorskip("nbgrader", reason="nbgrader is not installed: pip install -e '.[nbgrader]'")

from nbgrader import api
from sqlalchemy.exc import DBAPIError

from autograder.integrations.nbgrader.gradebook import CourseGradebook, GradebookError

KERNEL = '{"name": "python3", "language": "python", "display_name": "Python 3"}'


@pytest.fixture(scope="module")
def released(tmp_path_factory: pytest.TempPathFactory) -> bytes:
    """The gradebook of a course with one test cell."""
    path = tmp_path_factory.mktemp("gradebook") / "gradebook.db"
    with api.Gradebook(f"sqlite:///{path}") as book:
        book.add_assignment("luong")
        book.add_notebook("luong", "luong", kernelspec=KERNEL)
        book.add_grade_cell("test", "luong", "luong", max_score=5.0, cell_type="code")
        book.add_source_cell("test", "luong", "luong", cell_type="code", source="%attngrade luong x", locked=True)
    return path.read_bytes()


def read(place: Path, data: bytes, *statement: Any) -> Any:
    (place / "gradebook.db").write_bytes(data)
    if statement:
        database = sqlite3.connect(place / "gradebook.db", isolation_level=None)
        database.execute(*statement)
        database.close()
    with CourseGradebook(f"sqlite:///{place / 'gradebook.db'}", "") as book:
        return book.original("luong", "luong")


def test_an_untouched_one_is_read(tmp_path: Path, released: bytes) -> None:
    original = read(tmp_path, released)
    assert [(cell.name, cell.text, cell.points) for cell in original.sources] == [("test", "%attngrade luong x", 5.0)]


@pytest.mark.parametrize(
    "statement",
    [
        ("UPDATE notebook SET kernelspec = '{'",),
        ("UPDATE notebook SET kernelspec = '[1]'",),
        ("UPDATE notebook SET kernelspec = ?", ("[" * 100_000,)),
        ("UPDATE notebook SET kernelspec = x'ff00'",),
        ("UPDATE source_cell SET source = x'ff00'",),
        ("UPDATE source_cell SET cell_type = 'raw'",),
        ("UPDATE grade_cells SET max_score = 'nan'",),
        ("UPDATE grade_cells SET max_score = 9e999",),
        ("UPDATE grade_cells SET max_score = -5",),
        ("UPDATE grade_cells SET max_score = '<b>'",),
    ],
    ids=lambda statement: statement[0].partition("SET ")[2],
)
def test_a_changed_one_is_refused(statement: tuple[Any, ...], tmp_path: Path, released: bytes) -> None:
    with pytest.raises(GradebookError, match="the gradebook is damaged where it describes luong"):
        read(tmp_path, released, *statement)


def test_what_is_no_database_is_refused(tmp_path: Path) -> None:
    with pytest.raises(DBAPIError):
        read(tmp_path, b"x" * 9999)
