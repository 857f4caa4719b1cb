"""Tables that remember where their cells stood."""

from __future__ import annotations

import csv
import io
import itertools
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from autograder.intake.roster.csv_file import BOM, CsvCell, Sheet, SheetError, quoted, read_sheet, records

CELLS = st.text(st.sampled_from('ab,;"\n\r é='), max_size=6)
TABLES = st.lists(st.lists(CELLS, min_size=2, max_size=4), min_size=1, max_size=5)


def written(table: list[list[str]], delimiter: str, end: str, quoting: int) -> str:
    text = io.StringIO(newline="")
    csv.writer(text, delimiter=delimiter, lineterminator=end, quoting=quoting).writerows(table)  # type: ignore[arg-type]
    return text.getvalue()


@given(
    TABLES,
    st.sampled_from(",;\t"),
    st.sampled_from(["\n", "\r\n"]),
    st.sampled_from([csv.QUOTE_MINIMAL, csv.QUOTE_ALL]),
)
def test_records_are_those_of_the_csv_module(table: list[list[str]], delimiter: str, end: str, quoting: int) -> None:
    text = written(table, delimiter, end, quoting)
    read = list(csv.reader(io.StringIO(text, newline=""), delimiter=delimiter))
    assert [[cell.value for cell in row] for row in records(text, delimiter)] == [row for row in read if row]


@given(st.text(st.sampled_from('ab,"\n\r'), max_size=30))
def test_any_text_has_records(text: str) -> None:
    for row in records(text, ","):
        for cell, after in itertools.pairwise(row):
            assert cell.start <= cell.end < after.start
        assert row[-1].end <= len(text)


@given(TABLES, st.data(), CELLS, st.booleans())
def test_one_cell_is_changed_and_nothing_else(
    table: list[list[str]], data: st.DataObject, value: str, bom: bool
) -> None:
    text = BOM * bom + written(table, ",", "\n", csv.QUOTE_MINIMAL)
    rows = tuple(records(text, ","))
    if not rows:
        return
    cell: CsvCell = data.draw(st.sampled_from([cell for row in rows for cell in row]))
    changed = Sheet(Path("x"), text, ",", (), rows).replaced({cell: value}).decode("utf-8")
    assert changed.startswith(text[: cell.start])
    assert changed.endswith(text[cell.end :])
    expected = [[value if one is cell else one.value for one in row] for row in rows]
    assert [[one.value for one in row] for row in records(changed, ",")] == [row for row in expected if row != [""]]


def test_the_delimiter_is_found_and_lines_are_counted(tmp_path: Path) -> None:
    (tmp_path / "a.csv").write_bytes('\ufeff"Id";"Na,me"\r\n\r\n1;"two\nlines"\r\n2;x\r\n'.encode())
    sheet = read_sheet(tmp_path / "a.csv")
    assert (sheet.header, sheet.delimiter) == (("Id", "Na,me"), ";")
    assert [[cell.value for cell in row] for row in sheet.rows] == [["1", "two\nlines"], ["2", "x"]]
    assert [sheet.line(row) for row in sheet.rows] == [3, 5]


@pytest.mark.parametrize(
    ("data", "words"),
    [
        (b"", "is empty"),
        (b"\r\n\r\n", "is empty"),
        (b"id,name\nJos\xe9,x\n", "line 2: not UTF-8"),
        (b"PK\x03\x04\0\0", "not .xlsx"),
        (b"id,name\n1,Lima, Ana\n", "line 2: 3 cells, but the header names 2"),
    ],
)
def test_an_unreadable_file_is_reported(data: bytes, words: str, tmp_path: Path) -> None:
    (tmp_path / "a.csv").write_bytes(data)
    with pytest.raises(SheetError, match=words):
        read_sheet(tmp_path / "a.csv")


def test_a_file_that_is_not_there_or_too_large(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    with pytest.raises(SheetError, match="no such file"):
        read_sheet(tmp_path / "a.csv")
    monkeypatch.setattr("autograder.intake.roster.csv_file.LARGEST", 3)
    (tmp_path / "a.csv").write_text("id\n1\n")
    with pytest.raises(SheetError, match="larger than"):
        read_sheet(tmp_path / "a.csv")


def test_quotes_only_where_they_are_needed() -> None:
    assert [quoted(text) for text in ("a b", "a,b", 'a"b', "a\nb", "")] == ["a b", '"a,b"', '"a""b"', '"a\nb"', ""]
