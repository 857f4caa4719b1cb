"""``attngrade export``: what is never lost, never overwritten, and never a 0 that nobody asked for."""

from __future__ import annotations

import json
from pathlib import Path

import msgspec
import pytest

from autograder.intake.discovering import is_output
from autograder.integrations import export
from autograder.runs import results, run_folder
from autograder.runs.lock import hold
from tests.command_helpers import Run
from tests.integrations.export.export_helpers import CLASS, FORMULA, grade, table, write_run

TABLES = {"nbgrader": ("student_id", "score"), "otter": ("file", "total_points_earned"), "csv": ("student", "score")}
WITHHELD = {"eli", "hugo", "inf"}


def scores(path: Path, student: str, score: str) -> dict[str, str]:
    return {row[student]: row[score] for row in table(path)}


@pytest.mark.parametrize("form", sorted(TABLES))
def test_who_was_not_graded_has_no_score(form: str, out: Path, run: Run) -> None:
    result = run("export", out, "--to", form)
    assert result.status == 0
    found = scores(out / "exports" / export.FORMATS[form].name, *TABLES[form])
    assert {student for student, score in found.items() if score == ""} == WITHHELD
    assert {float(found[student]) for student in ("chen", "dara")} == {0.0}  # these are earned
    for student, why in {"eli": "1 missing", "hugo": "1 unreadable", "inf": "1 infrastructure-error"}.items():
        assert any(why in line and line.endswith(f": {student}") for line in result.err.splitlines())


@pytest.mark.parametrize("form", sorted(TABLES))
def test_zeros_are_written_when_asked_for_and_never_for_our_fault(form: str, out: Path, run: Run) -> None:
    result = run("export", out, "--to", form, "--missing-as-zero", "-o", out.parent / "x")
    found = scores(out.parent / "x", *TABLES[form])
    assert [student for student, score in found.items() if score == ""] == ["inf"]
    assert {float(found[student]) for student in ("eli", "hugo")} == {0.0}
    assert "missing" not in result.err.replace("--missing-as-zero", "")
    assert "inf" in result.err


def test_where_nothing_could_be_checked_there_is_no_score(tmp_path: Path, run: Run) -> None:
    nothing = msgspec.structs.replace(grade("ana", 0.0, checks="none"), max_score=0.0)
    out = write_run(tmp_path / "out", (nothing,))
    result = run("export", out, "--to", "nbgrader", "--missing-as-zero")
    assert scores(out / "exports" / "nbgrader.csv", "student_id", "score") == {"ana": ""}
    assert "nothing could be checked" in result.err


def test_an_export_is_not_overwritten_unasked(out: Path, run: Run) -> None:
    path = out / "exports" / "nbgrader.csv"
    path.parent.mkdir()
    path.write_text("mine")
    result = run("export", out, "--to", "nbgrader")
    assert (result.status, result.out, path.read_text()) == (2, "", "mine")
    assert "--force" in result.err
    assert run("export", out, "--to", "nbgrader", "--force").status == 0
    assert path.read_text().startswith("assignment,")


def test_a_failure_while_writing_leaves_what_was_there(out: Path, run: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    path = out / "exports" / "nbgrader.csv"
    path.parent.mkdir()
    path.write_text("old")

    def full(*_: object) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(results.os, "replace", full)
    result = run("export", out, "--to", "nbgrader", "--force")
    assert result.status == 2
    assert "no space left" in result.err
    assert path.read_text() == "old"


def test_a_folder_is_replaced_whole_and_only_where_it_is_an_export(out: Path, run: Run) -> None:
    folder = out / "exports" / "gradescope"
    assert run("export", out, "--to", "gradescope").status == 0
    (folder / "gone").mkdir()
    (folder / "gone" / "results.json").write_text("{}")
    assert run("export", out, "--to", "gradescope").status == 2
    assert run("export", out, "--to", "gradescope", "--force").status == 0
    assert not (folder / "gone").exists()
    assert sorted(path.name for path in folder.parent.iterdir()) == ["gradescope"]
    (folder / "thesis.tex").write_text("years of work")
    result = run("export", out, "--to", "gradescope", "--force")
    assert result.status == 2
    assert (folder / "thesis.tex").exists()


def test_a_folder_that_cannot_be_put_in_place_leaves_the_old_one(
    out: Path, run: Run, monkeypatch: pytest.MonkeyPatch
) -> None:
    folder = out / "exports" / "gradescope"
    run("export", out, "--to", "gradescope")
    before = (folder / "scores.csv").read_bytes()
    rename = Path.rename

    def refuse(self: Path, target: Path) -> Path:
        if self.name == "new":
            raise OSError(13, "Permission denied")
        return rename(self, target)

    monkeypatch.setattr(Path, "rename", refuse)
    result = run("export", out, "--to", "gradescope", "--force", "--missing-as-zero")
    assert (result.status, "permission denied" in result.err) == (2, True)
    assert (folder / "scores.csv").read_bytes() == before
    assert [path.name for path in folder.parent.iterdir()] == ["gradescope"]


def test_a_roster_is_never_the_output(out: Path, run: Run) -> None:
    roster = out.parent / "roster.csv"
    roster.write_text("id\nana\n")
    result = run("export", out, "--to", "csv", "--roster", roster, "-o", roster, "--force")
    assert result.status == 2
    assert roster.read_text() == "id\nana\n"


DAMAGE = {
    "not JSON": lambda data: b"{",
    "another version": lambda data: data | {"schema_version": 2},
    "a word for a score": lambda data: data | {"score": "100"},
    "more than the most": lambda data: data | {"score": 101.0},
    "less than nothing": lambda data: data | {"score": -1.0},
    "no score without our fault": lambda data: data | {"score": None},
    "a status that is none": lambda data: data | {"status": "fine"},
    "another student's": lambda data: data | {"student": "bo"},
    "an unknown assignment": lambda data: data | {"assignment": "chess"},
    "a check twice": lambda data: data | {"checks": data["checks"] * 2},
    "a check with too many points": lambda data: data | {"checks": [data["checks"][0] | {"points": 1e9}]},
}


@pytest.mark.parametrize("damage", sorted(DAMAGE))
def test_a_result_that_cannot_be_trusted_stops_the_export(damage: str, out: Path, run: Run) -> None:
    path = out / "results" / "ana.json"
    made = DAMAGE[damage](json.loads(path.read_text()))
    path.write_bytes(made if isinstance(made, bytes) else json.dumps(made).encode())
    result = run("export", out, "--to", "csv")
    assert (result.status, result.out) == (2, "")
    assert "ana.json" in result.err
    assert not (out / "exports").exists()


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (["nowhere", "--to", "csv"], "holds no results"),
        (["out", "--to", "excel"], "excel"),
        (["out"], "--to"),
        (["out", "--to", "canvas"], "--roster"),
        (["out", "--to", "csv", "--roster", "nosuch.csv"], "nosuch.csv"),
        (["out", "--to", "csv", "--columns", "student,shoe"], "shoe"),
        (["out", "--to", "csv", "-o", "."], "already there"),
        (["out", "--to", "junit", "--wide"], "--wide is an option of --to csv"),
        (["out", "--to", "csv", "--column", "x"], "--column is an option of --to canvas"),
    ],
)
def test_wrong_calls_get_one_line_and_exit_2(
    arguments: list[str], words: str, out: Path, run: Run, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(out.parent)
    result = run("export", *arguments)
    assert (result.status, result.out, result.err.count("\n")) == (2, "", 1)
    assert words in result.err


def test_an_empty_run_and_a_mixed_one_are_reported(tmp_path: Path, run: Run) -> None:
    (tmp_path / "results").mkdir()
    assert "is empty" in run("export", tmp_path, "--to", "csv").err
    results.write_result(tmp_path / "results", CLASS[0])
    results.write_result(tmp_path / "results", msgspec.structs.replace(CLASS[1], assignment="luong"))
    assert "bahdanau, luong" in run("export", tmp_path, "--to", "csv").err


def test_an_unfinished_run_is_reported(out: Path, run: Run) -> None:
    assert "not finished" not in run("export", out, "--to", "csv").err
    (out / "grades.csv").unlink()
    assert "not finished" in run("export", out, "--to", "csv", "--force").err


def test_exports_belong_to_the_run(out: Path, run: Run) -> None:
    run("export", out, "--to", "csv")
    (out / "journal.sqlite").touch()
    (out / "report").mkdir()
    hold(out).release()
    assert is_output(out)
    run_folder._set_aside(out, "bahdanau")
    (place,) = (out / "previous").iterdir()
    assert (place / "exports" / "checks.csv").exists()


def test_nobody_on_the_roster_is_lost(out: Path, run: Run) -> None:
    roster = out.parent / "roster.csv"
    roster.write_text("Student ID,Name,Email\nana,Ana Lima,a@x.edu\nzoe,Zoe Au,z@x.edu\nBO,Bo,b@x.edu\nbo,Bo,c@x.edu\n")
    result = run("export", out, "--to", "nbgrader", "--roster", roster)
    found = scores(out / "exports" / "nbgrader.csv", "student_id", "score")
    assert found["zoe"] == ""
    assert {one.removeprefix("'") for one in found} == {"zoe", "BO", *(one.student for one in CLASS)}
    assert "2 of 4 on the roster handed nothing in: Zoe Au, Bo" in result.err
    assert "6 are not on the roster: " in result.err
    assert FORMULA in result.err
    (row,) = (row for row in table(out / "exports" / "nbgrader.csv") if row["student_id"] == "ana")
    assert row["email"] == "a@x.edu"
