"""The gradebook that Canvas imports."""

from __future__ import annotations

import csv
import io
from pathlib import Path

import msgspec
import pytest

from autograder.runs import results
from tests.command_helpers import Run
from tests.integrations.export.export_helpers import FORMULA, SAMPLES, grade, table, write_run

GRADEBOOK = SAMPLES / "canvas.csv"
HEADER = ["Student", "ID", "SIS User ID", "SIS Login ID", "Section", "Bahdanau attention (7001)"]


@pytest.fixture
def made(out: Path, run: Run) -> tuple[list[list[str]], str, int]:
    """The file's cells, the messages on stderr, and the status."""
    result = run("export", out, "--to", "canvas", "--roster", GRADEBOOK)
    data = (out / "exports" / "canvas.csv").read_bytes()
    return list(csv.reader(io.StringIO(data.decode("utf-8"), newline=""))), result.err, result.status


def test_header_and_points_possible_are_as_the_importer_wants_them(made: tuple[list[list[str]], str, int]) -> None:
    rows = made[0]
    assert rows[0] == HEADER
    assert rows[1] == ["    Points Possible", "", "", "", "", "50"]
    assert all(len(row) == len(HEADER) for row in rows)


def test_scores_are_scaled_and_placed_by_id(made: tuple[list[list[str]], str, int]) -> None:
    cells = {row[1]: row[-1] for row in made[0][2:]}
    assert cells == {
        "101": "25",  # 50 of 100, where Canvas gives 50
        "102": "50",
        "103": "EX",  # excused: a person said so
        "104": "N/A",  # not assigned to them
        "105": "7.00",  # handed nothing in: what is there stays, an empty cell would take it away
        "106": "",  # our own fault
        "107": "",
    }


def test_what_a_person_must_know_is_reported(made: tuple[list[list[str]], str, int]) -> None:
    _, result, status = made
    assert "scores are scaled to 50 points" in result
    assert "Li, Bo: 12.00 becomes 50" in result
    assert "Wu, Chen: excused in Canvas, so 0 is not written" in result
    assert "Roy, Dara: not assigned to them in Canvas" in result
    assert f"1 with a grade are NOT in the file: {FORMULA}" in result
    assert "1 of 7 on the roster handed nothing in: =1+1, Zoe" in result
    assert status == 1


def test_names_are_no_formulas_and_ids_are_as_they_were(made: tuple[list[list[str]], str, int]) -> None:
    rows = {row[1]: row for row in made[0][2:]}
    assert rows["107"][0] == "'=1+1, Zoe"
    assert rows["101"] == ["Lima, Ana", "101", "s-101", "ana", "CS 101", "25"]


def test_missing_as_zero_writes_zero_for_everybody_but_our_fault(out: Path, run: Run) -> None:
    run("export", out, "--to", "canvas", "--roster", GRADEBOOK, "--missing-as-zero")
    cells = {row["ID"]: row["Bahdanau attention (7001)"] for row in table(out / "exports" / "canvas.csv")}
    assert (cells["105"], cells["106"], cells["107"]) == ("0", "", "0")


def test_everybody_placed_is_status_0(tmp_path: Path, run: Run) -> None:
    out = write_run(tmp_path / "out", (grade("ana", 50.0),))
    assert run("export", out, "--to", "canvas", "--roster", GRADEBOOK).status == 0


@pytest.mark.parametrize("column", ["Luong attention (7002)", "Luong attention", "7002"])
def test_the_column_may_be_named(column: str, out: Path, run: Run) -> None:
    run("export", out, "--to", "canvas", "--roster", GRADEBOOK, "--column", column)
    rows = table(out / "exports" / "canvas.csv")
    assert list(rows[0])[-1] == "Luong attention (7002)"
    assert rows[0]["Luong attention (7002)"] == "100"
    assert rows[2]["Luong attention (7002)"] == "100"


def test_a_column_that_is_not_there_is_a_wrong_call(out: Path, run: Run) -> None:
    result = run("export", out, "--to", "canvas", "--roster", GRADEBOOK, "--column", "Bonus")
    assert result.status == 2
    assert "has no column 'Bonus'; it may be 'Bahdanau attention (7001)'" in result.err
    assert not (out / "exports").exists()


@pytest.mark.parametrize(
    ("change", "words"),
    [
        (("Luong attention (7002)", "More Bahdanau attention (7002)"), "it may be 'Bahdanau attention (7001)', 'More"),
        (("Bahdanau attention (7001)", "Homework 3 (7001)"), "it may be 'Homework 3 (7001)', 'Luong"),
        (("50.00,100.00", "(read only),100.00"), "read-only"),
        (("50.00,100.00", "0.00,100.00"), "worth 0.00 points"),
        (("Student,ID", "Student,Number"), "no gradebook of Canvas"),
    ],
)
def test_a_column_that_is_not_plain_is_asked_for(change: tuple[str, str], words: str, out: Path, run: Run) -> None:
    book = out.parent / "book.csv"
    book.write_text(GRADEBOOK.read_text().replace(*change))
    result = run("export", out, "--to", "canvas", "--roster", book)
    assert (result.status, result.out) == (2, "")
    assert words in result.err
    assert not (out / "exports").exists()


def test_a_title_that_is_the_assignments_name_goes_before_those_that_hold_it(out: Path, run: Run) -> None:
    book = out.parent / "book.csv"
    book.write_text(GRADEBOOK.read_text().replace("Luong attention (7002)", "bahdanau (7002)"))
    run("export", out, "--to", "canvas", "--roster", book)
    assert list(table(out / "exports" / "canvas.csv")[0])[-1] == "bahdanau (7002)"


def test_a_gradebook_with_semicolons_and_decimal_commas(out: Path, run: Run) -> None:
    book = out.parent / "book.csv"
    rows = list(csv.reader(io.StringIO(GRADEBOOK.read_text(), newline="")))
    text = io.StringIO(newline="")
    csv.writer(text, delimiter=";").writerows([[cell.replace("50.00", "50,00") for cell in row] for row in rows])
    book.write_bytes(("\ufeff" + text.getvalue()).encode())
    run("export", out, "--to", "canvas", "--roster", book)
    assert (out / "exports" / "canvas.csv").read_bytes().startswith(b"Student,ID,")
    assert table(out / "exports" / "canvas.csv")[1]["Bahdanau attention (7001)"] == "25"


def test_first_and_last_names_in_two_columns(out: Path, run: Run) -> None:
    book = out.parent / "book.csv"
    book.write_text("LastName,FirstName,ID,SIS Login ID,Section,Bahdanau (1)\nLima,Ana,101,ana,A,\n")
    result = run("export", out, "--to", "canvas", "--roster", book)
    rows = list(csv.reader((out / "exports" / "canvas.csv").open(newline="")))
    assert rows[0] == ["LastName", "FirstName", "ID", "SIS Login ID", "Section", "Bahdanau (1)"]
    assert rows[1][0] == "    Points Possible"
    assert rows[2][-1] == "50"
    assert "no points possible; 100 are written" in result.err


def test_a_student_whose_maximum_is_smaller_gets_the_same_share(tmp_path: Path, run: Run) -> None:
    less = msgspec.structs.replace(grade("ana", 47.5), max_score=95.0)
    out = write_run(tmp_path / "out", (less,))
    run("export", out, "--to", "canvas", "--roster", GRADEBOOK)
    assert table(out / "exports" / "canvas.csv")[1]["Bahdanau attention (7001)"] == "25"
    assert results.read_result(out / "results" / "ana.json").score == 47.5
