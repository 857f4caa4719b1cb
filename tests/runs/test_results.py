"""File names and cells."""

from __future__ import annotations

import csv
import io
import tempfile
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from autograder import model
from autograder.model.text import unescaped
from autograder.runs import grades_csv, results


@pytest.mark.parametrize("plain", ["ana", "Ana-2", "a.b_c", "0", "josé", "-x", "ana."])
def test_plain_ids_name_their_file(plain: str) -> None:
    assert results.file_name(plain) == plain


@pytest.mark.parametrize(
    "odd", ["", ".", "..", ".hidden", "a/b", "a b", "a\nb", "a\0b", "~", "x" * 250, "e\u0301", "\ud800"]
)
def test_other_ids_are_made_safe(odd: str, tmp_path: Path) -> None:
    name = results.file_name(odd)
    assert name != odd
    (tmp_path / f"{name}.json").write_text("x")
    assert [path.name for path in tmp_path.iterdir()] == [f"{name}.json"]


@given(st.text(max_size=30), st.text(max_size=30))
def test_file_names_are_unique_even_where_case_does_not_count(one: str, other: str) -> None:
    names = results.file_name(one), results.file_name(other)
    if one != other and ("~" in names[0] or "~" in names[1]):
        assert names[0].casefold() != names[1].casefold()


def grade(student: str, score: float | None = 87.5) -> model.Grade:
    return model.Grade(student, "luong", score, 100.0, "graded", (), {}, 1.23456)


@given(st.text(st.characters(exclude_categories=["Cs"]), min_size=1, max_size=20))
def test_the_table_can_be_read_back_and_holds_no_formula(student: str) -> None:
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "grades.csv"
        grades_csv.write_grades(path, [grade(student)])
        (header, row) = csv.reader(io.StringIO(path.read_bytes().decode(), newline=""))
    assert header == list(grades_csv.HEADER)
    assert unescaped(row[0]).replace("'", "") == student.replace("'", "")
    assert row[1:8] == ["luong", "87.5", "100", "graded", "", "", "1.235"]
    assert row[8:] == ["0.00", "0.00", "87.50", *[""] * 7, "0"]
    if row[0].startswith(grades_csv.FORMULA):
        float(row[0])


@pytest.mark.parametrize(
    ("cell", "expected"),
    [
        ("=1+1", "'=1+1"),
        ("+x", "'+x"),
        ("-x", "'-x"),
        ("@a", "'@a"),
        ("\tx", "'\\u0009x"),
        ("\rx", "'\\u000dx"),
        ("-5", "-5"),
        ("+1.5", "+1.5"),
        ("-1e", "'-1e"),
        ("ana", "ana"),
        ("", ""),
        ("\n=1", "'\\u000a'=1"),
        ("＝1+1", "'＝1+1"),
        ("a;=1", "a;'=1"),
        ("a\n@x", "a\\u000a'@x"),
        ('a;"=1', "a;\"'=1"),
        ("a; b-c;d", "a; b-c;d"),
    ],
)
def test_guarded(cell: str, expected: str) -> None:
    assert grades_csv.guarded(cell) == expected


def test_our_fault_has_an_empty_score_cell(tmp_path: Path) -> None:
    grades_csv.write_grades(tmp_path / "grades.csv", [grade("ana", None)])
    assert (tmp_path / "grades.csv").read_text().splitlines()[1].startswith("ana,luong,,100,")


def test_nothing_half_written_is_seen(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = tmp_path / "grades.csv"
    path.write_text("old")
    monkeypatch.setattr(results.os, "replace", lambda *_: (_ for _ in ()).throw(OSError("no space")))
    with pytest.raises(OSError, match="no space"):
        grades_csv.write_grades(path, [grade("ana")])
    assert path.read_text() == "old"
    assert list(tmp_path.iterdir()) == [path]
