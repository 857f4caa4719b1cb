"""Rosters and gradebooks that nobody wrote with a good intention: they are read, or refused in one line, soon."""

from __future__ import annotations

import os
from collections.abc import Callable
from pathlib import Path

import pytest

from autograder import model
from autograder.intake.roster import csv_file, read_roster
from autograder.intake.roster.csv_file import SheetError
from autograder.model.text import LONGEST_LINE
from autograder.runs import results
from tests.command_helpers import Run

from .test_inputs_together import raw

Planted = Callable[[Path], object]


def text(content: str) -> Planted:
    return lambda path: path.write_text(content, encoding="utf-8")


def linked(to: str) -> Planted:
    return lambda path: path.symlink_to(to)


MOODLE = (
    "Identifier,Full name,Email address,Grade,Maximum Grade,Last modified (grade),Feedback comments\n"
    "Participant 1,Ana,ana,,100,-,\n"
)
CANVAS = "Student,ID,Section,luong (1)\n    Points Possible,,,10\nana,7,s,\n"
# name: the program that the file is of, the file, and the words of the refusal
REFUSED: dict[str, tuple[str, Planted, str]] = {
    "fifo": ("csv", os.mkfifo, "not a regular file"),
    "link-to-a-device": ("csv", linked("/dev/zero"), "not a regular file"),
    "link-to-memory": ("csv", linked("/proc/self/mem"), "cannot be read|not a regular file"),
    "link-to-itself": ("csv", linked("roster.csv"), "cannot be opened"),
    "nul": ("csv", text("id\nana\0\n"), "no text file"),
    "surrogate": ("csv", lambda path: path.write_bytes(b"id\n\xed\xa0\x80\n"), "line 2: not UTF-8"),
    "long-name": ("csv", text(f"id,name\nana,{'x' * 1001}\n"), "line 2: a name or an id has 1,001 characters"),
    "open-quote": ("csv", text('id,name\nana,"Ana\n' + "b,Bo\n" * 300), "is a quote missing"),
    "doubled-id": ("csv", text("SID,Name,SID\nana,Ana,bo\nbo,Bo,ana\n"), "2 columns are called 'SID'"),
    "steering-headings": ("csv", text("\x1b[2J\u202eeman,other\nana,bo\n"), "no column identifies"),
    "endless-heading": ("csv", text("x" * 1_000_000 + "\nana\n"), "no column identifies"),
    "moodle-two-grades": ("moodle", text(MOODLE.replace("Full name", "Grade")), "2 columns 'Grade'"),
    "moodle-two-feedbacks": (
        "moodle",
        text(MOODLE.replace("Full name", "Feedback comments")),
        "2 columns 'Feedback comments'",
    ),
    "moodle-infinite-maximum": ("moodle", text(MOODLE.replace("100", "9" * 400)), "the Maximum Grade is"),
    "moodle-long-maximum": ("moodle", text(MOODLE.replace("100", "x" * 1_000_000)), "the Maximum Grade is"),
    "canvas-infinite-maximum": ("canvas", text(CANVAS.replace("10\n", "9" * 400 + "\n")), "set its points in Canvas"),
    "canvas-nan": ("canvas", text(CANVAS.replace("10\n", "nan\n")), "set its points in Canvas"),
    "canvas-two-columns": (
        "canvas",
        text(CANVAS.replace("luong (1)", "luong (1),luong (1)").replace("10\n", "10,10\n")),
        "may be 'luong",
    ),
}


@pytest.fixture
def out(tmp_path: Path) -> Path:
    """A finished run of one student."""
    check = model.Outcome("c", "C", "value", "public", "failed", 0, 100, "text")
    results.write_result(
        tmp_path / "out" / "results", model.Grade("ana", "luong", 50.0, 100.0, "graded", (check,), {}, 0.5)
    )
    (tmp_path / "out" / "grades.csv").touch()
    return tmp_path / "out"


@pytest.mark.parametrize("name", REFUSED)
def test_a_roster_is_refused_in_one_line(name: str, out: Path, run: Run) -> None:
    program, plant, words = REFUSED[name]
    plant(out.parent / "roster.csv")
    done = run("export", out, "--to", program, "--roster", out.parent / "roster.csv")
    assert done.status == 2
    assert any(word in done.err for word in words.split("|")), done.err
    assert done.err.count("\n") == 1
    assert len(done.err) < LONGEST_LINE + 100
    assert raw(done.err) == set()
    assert not (out / "exports").exists()


@pytest.mark.parametrize("content", ["id" + "," * 2000, "id\n" + "," * 2000, "id\n" + "a\n" * 2000, '""\n' * 2000])
def test_a_table_has_a_most_of_cells(content: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """50 MB of commas would need 8 GB and minutes."""
    monkeypatch.setattr(csv_file, "MOST_CELLS", 1000)
    (tmp_path / "a.csv").write_text(content)
    with pytest.raises(SheetError, match="more than 1,000 cells"):
        read_roster(tmp_path / "a.csv")


def test_empty_lines_are_no_cells(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Each would cost a step of Python: a minute for 50 MB."""
    monkeypatch.setattr(csv_file, "MOST_CELLS", 3)
    (tmp_path / "a.csv").write_text("\n\r\n" * 5000 + "id\n" + "\n" * 5000 + "\r\nana\n" + "\n" * 5000)
    assert [person.keys for person in read_roster(tmp_path / "a.csv").people] == [{"id": "ana"}]


def test_nobody_becomes_the_maximum_by_calling_himself_points_possible(out: Path, run: Run) -> None:
    roster = out.parent / "roster.csv"
    roster.write_text(CANVAS.replace("    Points", "Points Possible,8,s,1\n    Points"))
    assert run("export", out, "--to", "canvas", "--roster", roster).status == 0
    assert (out / "exports" / "canvas.csv").read_text().splitlines()[1:] == [
        "    Points Possible,,,10",
        "Points Possible,8,s,1",
        "ana,7,s,5",
    ]


STEERING = "\x1b[2J\u202e"


@pytest.mark.parametrize("program", ["csv", "moodle", "canvas"])
def test_names_of_a_roster_neither_steer_nor_count(program: str, out: Path, run: Run) -> None:
    """What students may call themselves in a learning platform."""
    name = f'"=HYPERLINK(""x""){STEERING}"'
    content = {
        "csv": f"id,name\nana,{name}\nbo,{name}\n",
        "moodle": MOODLE.replace("Ana", name) + f"Participant 2,{name},bo,,100,-,\n",
        "canvas": CANVAS.replace("ana", name).replace("7", "ana") + f"{name},9,s,\n",
    }
    (out.parent / "roster.csv").write_text(content[program], encoding="utf-8")
    done = run("export", out, "--to", program, "--roster", out.parent / "roster.csv")
    assert done.status == 0, done.err
    assert "1 of 2 on the roster handed nothing in" in done.err
    assert raw(done.out + done.err) == set()
    made = next((out / "exports").iterdir()).read_text(encoding="utf-8")
    assert program == "moodle" or "'=HYPERLINK" in made  # Moodle's own file keeps every other byte
    assert program != "csv" or raw(made) == set()
