"""``attngrade purge``: afterwards no byte in OUT is the student's, and everybody else's grades are as before."""

from __future__ import annotations

import contextlib
import csv
import shutil
import sqlite3
from collections.abc import Sequence
from pathlib import Path

import msgspec
import pytest

from autograder import model
from autograder.report.web import write_report
from autograder.runs import grades_csv, history, regrade
from autograder.runs.lock import hold
from autograder.runs.pool import RunPlan
from autograder.runs.run_folder import RunFolder
from autograder.sandbox.limits import Limits
from tests.command_helpers import Run
from tests.integrations.made_grades import grade, outcome

GONE = "zwicky-unmistakable"
STUDENTS = ("ada", GONE, "zwicky")


def a_run(out: Path, students: Sequence[str] = STUDENTS, points: float = 3.0, *, resume: bool = False) -> None:
    """Write a run as ``attngrade grade`` does."""
    with contextlib.closing(RunFolder(out, "luong", resume=resume)) as folder:
        folder.remember(out.parent / "in", "auto", RunPlan("luong", "", Limits()))
        for student in students:
            check = outcome("a-check", "failed", points, 4.0, message=f"The name {student} stands here, too.")
            folder.save(grade(student, [check]), f"work of {student}", "run")
        folder.finish(write_report)


@pytest.fixture
def out(tmp_path: Path) -> Path:
    """Two runs, a regraded grade, an export and feedback."""
    out = tmp_path / "OUT"
    a_run(out, points=1.0)
    a_run(out)
    with contextlib.closing(RunFolder(out, "luong", resume=True)) as folder:
        folder.copy_aside([GONE])  # as regrade --apply does
        before = history.row(folder.journal, GONE)
        assert before is not None
        after = msgspec.structs.replace(before, grade=msgspec.structs.replace(before.grade, score=2.0))
        history.amend(folder.journal, [(before, after)], "2026-01-01")
    for name in ("exports/canvas.csv", f"feedback/{GONE}.html", f"feedback/{GONE}.md", "feedback/zwicky.html"):
        (out / name).parent.mkdir(exist_ok=True)
        (out / name).write_text(GONE if "/zwicky." not in name else "zwicky")
    return out


def holding(folder: Path, text: str) -> list[str]:
    """The files that hold a text, in their names or their bytes."""
    found = [path for path in folder.rglob("*") if text in path.name or (path.is_file() and text in _read(path))]
    return [str(path.relative_to(folder)) for path in found]


def _read(path: Path) -> str:
    return path.read_bytes().decode("latin-1")


def grades(out: Path) -> dict[str, str]:
    with (out / "grades.csv").open(encoding="utf-8", newline="") as file:
        return {row["student"]: row["score"] for row in csv.DictReader(file)}


def test_no_byte_is_left_and_others_keep_theirs(run: Run, out: Path) -> None:
    assert len(holding(out, GONE)) > 10
    others = {path: path.read_bytes() for path in out.rglob("results/*.json") if GONE not in path.name}
    done = run("purge", out, GONE, "--yes")
    assert done.status == 0, done.err
    assert holding(out, GONE) == []
    assert {path: path.read_bytes() for path in out.rglob("results/*.json")} == others
    assert grades(out) == {"ada": "3", "zwicky": "3"}
    assert "zwicky" in (out / "report" / "index.html").read_text()
    assert (out / "feedback" / "zwicky.html").read_text() == "zwicky"
    (first, *_) = sorted((out / "previous").iterdir())
    assert grades(first) == {"ada": "1", "zwicky": "1"}
    assert "zwicky" in (first / "report" / "index.html").read_text()
    assert run("show", out, "ada", "--history").status == 0


def test_the_report_keeps_the_names_of_others_and_what_people_decided(run: Run, out: Path) -> None:
    with contextlib.closing(RunFolder(out, "luong", resume=True)) as folder:
        folder.identify(STUDENTS, {"ada": model.Identity("Ada Byron")})
    assert run("adjust", out, "ada", "+0.75", "--reason", "oral").status == 0
    pages = (out / "report" / "index.html", out / "report" / "students" / "ada.html")
    assert run("purge", out, GONE, "--yes").status == 0
    for page in pages:
        assert not [words for words in ("Ada Byron", "3.75") if words not in page.read_text()]


def test_it_says_what_it_removed_and_what_lies_elsewhere(run: Run, out: Path) -> None:
    told = run("purge", out, GONE, "--yes").out
    for line in (f"results/{GONE}.json: removed", "1 row(s) of history removed", "report/: written anew", "exports/"):
        assert line in told
    assert str(out.parent / "in") in told
    assert "gradebook" in told


def test_without_yes_nothing_is_written(run: Run, out: Path) -> None:
    before = {path: path.read_bytes() for path in out.rglob("*") if path.is_file()}
    done = run("purge", out, GONE)
    assert done.status == 2
    assert "nothing has been removed" in done.err
    assert f"results/{GONE}.json" in done.out
    assert {path: path.read_bytes() for path in out.rglob("*") if path.is_file()} == before


def test_tables_that_come_later_are_purged_too(run: Run, out: Path) -> None:
    with contextlib.closing(sqlite3.connect(out / "journal.sqlite")) as database, database:
        database.execute("CREATE TABLE later (student TEXT, reason TEXT)")
        database.execute("INSERT INTO later VALUES (?, 'ill'), ('ada', 'also ill')", (GONE,))
    assert "1 row(s) of later" in run("purge", out, GONE, "--yes").out
    with contextlib.closing(sqlite3.connect(out / "journal.sqlite")) as database:
        assert database.execute("SELECT student FROM later").fetchall() == [("ada",)]


def test_a_run_in_previous_without_a_journal_is_cleaned(run: Run, out: Path) -> None:
    aside = next(place for place in (out / "previous").iterdir() if not (place / "journal.sqlite").exists())
    assert holding(aside, GONE)
    assert run("purge", out, GONE, "--yes").status == 0
    assert grades(aside) == {"ada": "3", "zwicky": "3"}
    assert not (aside / "report").exists()  # nothing is there from which to write it anew


def test_proposals_of_a_regrade_go_too(run: Run, out: Path) -> None:
    regrade.proposed_in(out, "luong").close()
    assert regrade.proposal_file(out).exists()
    assert run("purge", out, GONE, "--yes").status == 0
    assert not regrade.proposal_file(out).exists()


def test_a_run_that_was_killed_halfway_is_finished_by_a_second_call(run: Run, out: Path) -> None:
    (out / "results" / f"{GONE}.json").unlink()
    shutil.rmtree(out / "exports")
    assert run("purge", out, GONE, "--yes").status == 0
    assert holding(out, GONE) == []


@pytest.mark.parametrize("name", ["=1+1", "Ünal, Çem", "a/b", "line\nbreak"])
def test_a_student_is_named_as_grades_csv_shows_the_id(run: Run, tmp_path: Path, name: str) -> None:
    out = tmp_path / "OUT"
    a_run(out, ("ada", name))
    shown = next(student for student in grades(out) if student != "ada")
    assert shown == grades_csv.guarded(name)
    assert run("purge", out, shown, "--yes").status == 0
    assert grades(out) == {"ada": "3"}
    assert [path.stem for path in (out / "results").iterdir()] == ["ada"]


def test_the_last_student_leaves_an_empty_class(run: Run, tmp_path: Path) -> None:
    a_run(tmp_path / "OUT", ("ada",))
    assert run("purge", tmp_path / "OUT", "ada", "--yes").status == 0
    assert grades(tmp_path / "OUT") == {}


def test_an_unknown_student_or_folder_is_a_wrong_call(run: Run, out: Path, tmp_path: Path) -> None:
    unknown = run("purge", out, "zwick", "--yes")
    assert (unknown.status, "holds nothing of 'zwick'" in unknown.err) == (2, True)
    (tmp_path / "mine").mkdir()
    (tmp_path / "mine" / f"{GONE}.json").write_text("mine")
    assert run("purge", tmp_path / "mine", GONE, "--yes").status == 2
    assert run("purge", tmp_path / "nothing", GONE, "--yes").status == 2
    assert (tmp_path / "mine" / f"{GONE}.json").read_text() == "mine"


def test_a_folder_in_use_is_left_alone(run: Run, out: Path) -> None:
    lock = hold(out)
    try:
        done = run("purge", out, GONE, "--yes")
    finally:
        lock.release()
    assert done.status == 2
    assert "in use" in done.err
    assert (out / "results" / f"{GONE}.json").exists()


def test_links_are_not_followed(run: Run, out: Path, tmp_path: Path) -> None:
    elsewhere = tmp_path / "elsewhere"
    a_run(elsewhere)
    (out / "previous" / "a-link").symlink_to(elsewhere)
    shutil.rmtree(out / "exports")
    (out / "exports").symlink_to(elsewhere)
    before = {path: path.read_bytes() for path in elsewhere.rglob("*") if path.is_file()}
    assert run("purge", out, GONE, "--yes").status == 0
    assert {path: path.read_bytes() for path in elsewhere.rglob("*") if path.is_file()} == before


def test_grades_of_others_are_typed_as_before(out: Path, run: Run) -> None:
    """The journal can still be resumed, with the same rows for the others."""
    run("purge", out, GONE, "--yes")
    with contextlib.closing(RunFolder(out, "luong", resume=True)) as folder:
        rest: list[model.Grade] = list(folder.journal.grades())
        assert [one.student for one in rest] == ["ada", "zwicky"]
        assert folder.journal.known("ada", "work of ada", "run") == rest[0]
