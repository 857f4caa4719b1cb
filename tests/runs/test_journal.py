"""The journal: the versions of its schema, and which grades are shared."""

from __future__ import annotations

import contextlib
import sqlite3
import tracemalloc
from pathlib import Path

import msgspec
import pytest

from autograder import model
from autograder.runs import journal, people
from autograder.runs.journal import Journal, JournalError

# Version 1 of the schema, as it was written.
FIRST = """
CREATE TABLE run (key TEXT PRIMARY KEY, value TEXT NOT NULL) WITHOUT ROWID;
CREATE TABLE grade (
    student TEXT PRIMARY KEY, work TEXT NOT NULL, exam TEXT NOT NULL, result BLOB NOT NULL
) WITHOUT ROWID;
INSERT INTO run VALUES ('version', '1'), ('assignment', 'luong');
"""


def grade(student: str, **changes: object) -> model.Grade:
    plain = model.Grade(student, "luong", 50.0, 100.0, "graded", (), {})
    return msgspec.structs.replace(plain, **changes)


@pytest.fixture
def first(tmp_path: Path) -> Path:
    """A journal of version 1 with one grade."""
    path = tmp_path / "journal.sqlite"
    with contextlib.closing(sqlite3.connect(path)) as database:
        database.executescript(FIRST)
        row = ("ana", "work", "exam", msgspec.json.encode(grade("ana")))
        database.execute("INSERT INTO grade VALUES (?, ?, ?, ?)", row)
        database.commit()
    return path


def columns(path: Path) -> dict[str, list[str]]:
    with contextlib.closing(sqlite3.connect(path)) as database:
        tables = database.execute("SELECT name FROM sqlite_master WHERE type = 'table'").fetchall()
        return {name: [row[1] for row in database.execute(f"PRAGMA table_info({name})")] for (name,) in tables}


def version(path: Path) -> str:
    with contextlib.closing(sqlite3.connect(path)) as database:
        return str(database.execute("SELECT value FROM run WHERE key = 'version'").fetchone()[0])


def test_a_journal_of_the_first_version_is_brought_up_to_date(first: Path, tmp_path: Path) -> None:
    with contextlib.closing(Journal(first, "luong")) as old:
        assert old.known("ana", "work", "exam") == grade("ana")
        assert old.twin("", "exam") is None  # its content is not known
        old.record(grade("bo"), "work", "exam", "content")
        assert [row.student for row in old.grades()] == ["ana", "bo"]
    with contextlib.closing(Journal(tmp_path / "new.sqlite", "luong")):
        pass
    assert columns(first) == columns(tmp_path / "new.sqlite")
    assert columns(first)["history"] == ["student", "at", "exam", "result", "by"]
    assert version(first) == str(journal.VERSION)


def test_bringing_up_to_date_is_all_or_nothing(first: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    before = columns(first)
    steps = (journal.STEPS[0], (*journal.STEPS[1], "no SQL at all"))
    with monkeypatch.context() as patch:
        patch.setattr(journal, "STEPS", steps)
        with pytest.raises(JournalError, match="no"):
            Journal(first, "luong")
    assert columns(first) == before
    assert version(first) == "1"
    with contextlib.closing(Journal(first, "luong")) as old:
        assert old.known("ana", "work", "exam") == grade("ana")


def test_a_newer_journal_is_refused_and_left_as_it_is(first: Path) -> None:
    with contextlib.closing(sqlite3.connect(first)) as database:
        database.execute("UPDATE run SET value = '99' WHERE key = 'version'")
        database.commit()
    with pytest.raises(JournalError, match=r"newer attngrade .*version 99.*update attngrade"):
        Journal(first, "luong")
    assert version(first) == "99"
    assert "history" not in columns(first)


@pytest.mark.parametrize(
    ("change", "words"),
    [
        ("UPDATE run SET value = 'x' WHERE key = 'version'", "'x' is no version"),
        ("UPDATE run SET value = 'masking' WHERE key = 'assignment'", "belongs to assignment masking"),
    ],
)
def test_a_foreign_or_newer_file_is_refused_with_a_reason(first: Path, change: str, words: str) -> None:
    with contextlib.closing(sqlite3.connect(first)) as database:
        database.execute(change)
        database.commit()
    with pytest.raises(JournalError, match=words):
        Journal(first, "luong")


def test_it_is_in_wal_mode_and_keeps_one_row_a_student(tmp_path: Path) -> None:
    with contextlib.closing(Journal(tmp_path / "j", "luong")) as book:
        assert book.database.execute("PRAGMA journal_mode").fetchone() == ("wal",)
        for score in (1.0, 2.0):
            book.record(grade("ana", score=score), "work", "exam")
        assert [row.score for row in book.grades()] == [2.0]
        assert len(book.grades()) == 1
        book.forget(["ana"])
        assert not list(book.grades())


def test_the_same_work_is_known_whoever_handed_it_in(tmp_path: Path) -> None:
    with contextlib.closing(Journal(tmp_path / "j", "luong")) as book:
        book.record(grade("ana", message="a note. rest"), "work", "exam", "content", "rest")
        assert book.twin("content", "exam") == (grade("ana", message="a note. rest"), "rest")
        assert book.twin("content", "another exam") is None
        assert book.twin("other", "exam") is None
        assert book.known("bo", "work", "exam") is None


def test_grades_are_not_held_together(tmp_path: Path) -> None:
    """Going through ten times as many takes no more memory."""
    text = "x" * 20_000

    def peak(count: int) -> int:
        with contextlib.closing(Journal(tmp_path / f"j{count}", "luong")) as book:
            for number in range(count):
                book.record(grade(f"s{number}", message=text), "work", "exam")
            tracemalloc.start()
            assert sum(1 for _ in book.grades()) == count
            most = tracemalloc.get_traced_memory()[1]
            tracemalloc.stop()
            return most

    assert peak(200) < peak(20) + 10 * len(text)


def test_no_question_takes_longer_the_more_there_is(tmp_path: Path) -> None:
    steps = 0

    def count() -> None:
        nonlocal steps
        steps += 1

    with contextlib.closing(Journal(tmp_path / "journal.sqlite", "luong")) as book:
        for number in range(300):
            book.record(grade(f"{number:03}"), "work", "exam", f"content {number}", "remarks")
        book.database.set_progress_handler(count, 1)  # after each instruction of SQLite's machine
        assert book.twin("content 150", "exam") == (grade("150"), "remarks")
        assert book.twin("another", "exam") is None
        assert book.known("150", "work", "exam") == grade("150")
        assert book.work("150") == "work"
        assert book.noted("version") == str(journal.VERSION)
        assert 0 < steps < 200


def test_people_are_kept_from_the_third_version_on(first: Path) -> None:
    with contextlib.closing(Journal(first, "luong")) as old:
        assert people.log(old) == []
        assert people.Marks(old).composed(grade("ana")).final_score == 50.0
        decisions = [model.Decision("ana", "adjust", points=5.0), model.Decision("", "accept", "c")]
        people.decide(old, decisions)
        people.identify(old, ["ana", "bo"], {"bo": model.Identity("Bo")})
        people.note_work(old, model.Submission("ana", "ready", path="a.py", sha256="aa"))
        people.note_work(old, model.Submission("bo", "ready", path="\udcff\n.py"))
    with contextlib.closing(Journal(first, "luong")) as old:
        assert people.log(old) == decisions
        marks = people.Marks(old)
        assert marks.facts["bo"] == model.Facts(model.Identity("Bo"), model.GradedFile("? .py"))
        found = marks.composed(grade("ana"))
        assert (found.file, found.final_score) == ("a.py", 55.0)
        assert old.known("ana", "work", "exam") == grade("ana")  # the grader's own grade stays as it is


@pytest.mark.parametrize(
    "change",
    [
        "INSERT INTO decision (student, decision) VALUES ('ana', '{}')",
        "INSERT INTO fact (student, work) VALUES ('ana', 5)",
    ],
)
def test_odd_rows_of_people_are_refused(first: Path, change: str) -> None:
    with contextlib.closing(Journal(first, "luong")) as old:
        old.query(change)
    with pytest.raises(JournalError, match="did not write"):
        Journal(first, "luong")


def test_a_decision_in_another_students_row_is_refused(first: Path) -> None:
    with contextlib.closing(Journal(first, "luong")) as old:
        people.decide(old, [model.Decision("ana", "adjust")])
        old.query("UPDATE decision SET student = 'bo'")
        with pytest.raises(JournalError, match="another student's row"):
            people.log(old)
