"""Moodle's grading worksheet, edited in place."""

from __future__ import annotations

from pathlib import Path

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st

from autograder.intake.roster import match, read_roster
from autograder.intake.roster.csv_file import records
from autograder.integrations.export import Job, moodle
from tests.command_helpers import Run
from tests.integrations.export.export_helpers import FORMULA, SAMPLES, grade, outcome, table

WORKSHEET = SAMPLES / "moodle.csv"
FREE = ("Grade", "Feedback comments")


@pytest.fixture
def made(out: Path, run: Run) -> tuple[bytes, str, int]:
    """The file, the messages on stderr, and the status."""
    result = run("export", out, "--to", "moodle", "--roster", WORKSHEET)
    return (out / "exports" / "moodle.csv").read_bytes(), result.err, result.status


def rows(data: bytes) -> dict[str, dict[str, str]]:
    return {row["Email address"].partition("@")[0]: row for row in table(data.removeprefix("\ufeff".encode()))}


def test_grades_are_scaled_to_the_maximum_and_only_where_there_are_some(made: tuple[bytes, str, int]) -> None:
    grades = {student: row["Grade"] for student, row in rows(made[0]).items()}
    assert grades == {"ana": "25", "bo": "50", "chen": "", "dara": "0", "eli": "7.00", "inf": "", "zoe": ""}


def test_every_other_byte_is_as_it_was(made: tuple[bytes, str, int]) -> None:
    before, after = WORKSHEET.read_text("utf-8"), made[0].decode("utf-8")
    assert b"\r" not in made[0]
    was, now = list(records(before, ",")), list(records(after, ","))
    free = [number for number, cell in enumerate(was[0]) if cell.value in FREE]

    def rest(text: str, table: list[tuple]) -> str:  # type: ignore[type-arg]
        parts, at = [], 0
        for row in table[1:]:
            if row[0].value in ("Participant 501", "Participant 502", "Participant 504"):
                for cell in (row[number] for number in free):
                    parts.append(text[at : cell.start])
                    at = cell.end
        return "".join([*parts, text[at:]])

    assert rest(before, was) == rest(after, now)
    assert after.startswith('\ufeffIdentifier,"Full name"')


def test_what_a_person_must_know_is_reported(made: tuple[bytes, str, int]) -> None:
    _, result, status = made
    assert "scores are scaled to the worksheet's Maximum Grade of 50" in result
    assert "Bo Li: 12.00 becomes 50" in result
    assert "Chen Wu: Moodle says that the grade can't be changed, so 0 is not written" in result
    assert f"2 with a grade are NOT in the file: {FORMULA}, chen" in result
    assert "1 of 7 on the roster handed nothing in: =1+1 Zoe" in result
    assert status == 1


def test_feedback_is_html_and_stands_below_what_a_person_wrote(made: tuple[bytes, str, int]) -> None:
    found = rows(made[0])
    ana = found["ana"]["Feedback comments"]
    assert ana.startswith(
        "<p>Autograder: 50 of 100 points.</p><ul><li><b>Title of values</b><br>=context is &lt;wrong&gt;"
    )
    assert ana.endswith("Look.</li></ul>")
    assert found["bo"]["Feedback comments"] == '<p>Nice plots, "Bo".</p><p>Autograder: 100 of 100 points.</p>'
    assert found["eli"]["Feedback comments"] == "seen in\noffice hours"


def test_a_second_export_replaces_its_own_feedback_only(made: tuple[bytes, str, int], out: Path, run: Run) -> None:
    again = out.parent / "again.csv"
    again.write_bytes(made[0])
    run("export", out, "--to", "moodle", "--roster", again, "--force")
    assert (out / "exports" / "moodle.csv").read_bytes() == made[0]


def test_missing_as_zero(out: Path, run: Run) -> None:
    result = run("export", out, "--to", "moodle", "--roster", WORKSHEET, "--missing-as-zero")
    found = rows((out / "exports" / "moodle.csv").read_bytes())
    assert {name: found[name]["Grade"] for name in ("eli", "zoe", "inf")} == {"eli": "0", "zoe": "0", "inf": ""}
    assert found["zoe"]["Feedback comments"] == "<p>Autograder: handed nothing in</p>"
    assert "Eli Eis: 7.00 becomes 0" in result.err


@pytest.mark.parametrize(
    ("change", "words"),
    [
        (('"Maximum Grade"', "Scale"), "graded by a scale"),
        (("Identifier", "Kennung"), "no column 'Identifier'"),
        (("50.00,Yes", "many,Yes"), "the Maximum Grade is 'many'"),
        (("50.00,Yes", "0.00,Yes"), "the Maximum Grade is '0.00'"),
    ],
)
def test_what_moodle_would_not_take_is_reported(change: tuple[str, str], words: str, out: Path, run: Run) -> None:
    sheet = out.parent / "sheet.csv"
    sheet.write_text(WORKSHEET.read_text("utf-8").replace(*change), "utf-8")
    result = run("export", out, "--to", "moodle", "--roster", sheet)
    assert (result.status, result.out) == (2, "")
    assert words in result.err
    assert not (out / "exports").exists()


def test_a_row_that_is_cut_is_reported(out: Path, run: Run) -> None:
    sheet = out.parent / "sheet.csv"
    sheet.write_text(WORKSHEET.read_text("utf-8").partition("ana@x.edu")[0] + "ana@x.edu\n", "utf-8")
    result = run("export", out, "--to", "moodle", "--roster", sheet)
    assert "line 2: 3 cells, but there are 10 columns" in result.err


def test_without_a_column_for_feedback_only_grades_are_written(out: Path, run: Run) -> None:
    sheet = out.parent / "sheet.csv"
    sheet.write_text(WORKSHEET.read_text("utf-8").replace("Feedback comments", "Notes"), "utf-8")
    result = run("export", out, "--to", "moodle", "--roster", sheet)
    assert "no column 'Feedback comments'" in result.err
    assert rows((out / "exports" / "moodle.csv").read_bytes())["ana"]["Notes"] == ""


@given(st.text(st.characters(exclude_categories=["Cs"]), max_size=40))
def test_feedback_cannot_break_the_table_or_be_run(message: str) -> None:
    """PHP's reader takes a backslash before a quote for an escape; there must be neither."""
    check = outcome("values", 0.0, "failed", message=message)
    one = msgspec.structs.replace(grade("ana", 50.0), checks=(check,))
    roster = read_roster(WORKSHEET)
    (data,) = moodle.write(Job((one,), {}, roster, match(["ana"], roster))).files.values()
    cell = rows(data)["ana"]["Feedback comments"]
    assert not set(cell) & {'"', "\\", "\n", "\r"}
    assert cell.startswith("<p>Autograder: ")
    assert cell.count("<li>") == 1
