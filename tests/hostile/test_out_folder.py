"""An output folder that somebody else wrote into: a command ends with a word, and nothing outside is written."""

from __future__ import annotations

import itertools
import os
import shutil
import signal
import sqlite3
from collections.abc import Callable, Collection, Iterator
from pathlib import Path
from typing import Any

import msgspec
import pytest

from autograder import model
from autograder.cli import app
from autograder.runs import pool

from .test_inputs_together import raw

HANGS = 60  # seconds; nothing here should take two

COMMANDS = {
    "show": ["show", "OUT", "ana"],
    "history": ["show", "OUT", "ana", "--history"],
    "csv": ["export", "OUT", "--to", "csv", "--force"],
    "gradescope": ["export", "OUT", "--to", "gradescope", "--force"],
    "regrade": ["regrade", "OUT", "--apply"],
    "resume": ["grade", "SUBS", "-a", "luong", "-o", "OUT", "-j1", "--resume"],
    "grade": ["grade", "SUBS", "-a", "luong", "-o", "OUT", "-j1"],
}


@pytest.fixture(autouse=True)
def _no_hang() -> Iterator[None]:
    def stop(*_: object) -> None:
        raise TimeoutError("it hangs")

    previous = signal.signal(signal.SIGALRM, stop)
    signal.alarm(HANGS)
    yield
    signal.alarm(0)
    signal.signal(signal.SIGALRM, previous)


@pytest.fixture
def place(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]) -> Path:
    """A graded class in ``out``, and a place outside it in ``victim``."""

    def grade_all(plan: pool.RunPlan, works: Any, jobs: int) -> Iterator[Any]:
        for work in works:
            check = model.Outcome("c", "C", "value", "public", "failed", 0, 100, "text")
            yield work, model.Grade(work.student, plan.assignment, 0.0, 100.0, "graded", (check,), {}, 0.5)

    monkeypatch.setattr(pool, "grade_all", grade_all)
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    for folder in ("subs", "victim"):
        (tmp_path / folder).mkdir()
    for name in ("ana", "bo"):
        (tmp_path / "subs" / f"{name}.py").write_text(f"# {name}")
    (tmp_path / "victim" / "precious").write_text("precious")
    assert run(tmp_path, "grade") == 0
    capfd.readouterr()
    return tmp_path


def run(place: Path, command: str) -> int:
    paths = {"OUT": str(place / "out"), "SUBS": str(place / "subs")}
    return app.run([paths.get(word, word) for word in COMMANDS[command]])


def linked(name: str) -> Callable[[Path], None]:
    """A file or folder of OUT leads out of it."""

    def plant(out: Path) -> None:
        path, victim = out / name, out.parent / "victim"
        if path.is_dir():
            shutil.rmtree(path)
        elif path.exists():
            shutil.move(path, victim / path.name)
        path.symlink_to(victim / path.name if (victim / path.name).exists() else victim)

    return plant


def ended(name: str) -> Callable[[Path], None]:
    """What a killed run might leave leads out."""
    return lambda out: (out / name).symlink_to(out.parent / "victim" / "precious")


def piped(name: str) -> Callable[[Path], None]:
    """A file is a FIFO, at which a reader waits for ever."""

    def plant(out: Path) -> None:
        (out / name).unlink()
        os.mkfifo(out / name)

    return plant


def endless(out: Path) -> None:
    (out / "results/ana.json").unlink()
    (out / "results/ana.json").symlink_to("/dev/zero")


def edited(*statements: str, values: tuple[object, ...] = ()) -> Callable[[Path], None]:
    """The journal is changed by SQL."""

    def plant(out: Path) -> None:
        database = sqlite3.connect(out / "journal.sqlite", isolation_level=None)
        for statement in statements:
            database.execute(statement, values if "?" in statement else ())
        database.close()

    return plant


def result(**changes: object) -> Callable[[Path], None]:
    """A result says something else."""

    def plant(out: Path) -> None:
        path = out / "results" / "ana.json"
        path.write_bytes(msgspec.json.encode(msgspec.json.decode(path.read_bytes()) | changes))

    return plant


UNTYPED = "CREATE TABLE grade (student, work, exam, result, content DEFAULT '', remarks DEFAULT '')"
FOREVER = "WITH RECURSIVE n(x) AS (SELECT 1 UNION ALL SELECT x + 1 FROM n)"
STEERING = "\x1b[2J\x9b31m\u202e"

# What was done to OUT; and the commands that must end with a word, where the others may go on.
ATTACKS: dict[str, tuple[Callable[[Path], None], str]] = {
    "results-link": (linked("results"), "resume regrade"),
    "report-link": (linked("report"), "resume regrade"),
    "previous-link": (linked("previous"), "resume regrade grade"),
    "exports-link": (linked("exports"), "csv gradescope"),
    "journal-link": (linked("journal.sqlite"), "history regrade resume"),
    "lock-link": (linked(".lock"), "resume regrade grade"),
    "journal-to-nowhere": (
        lambda out: ((out / "journal.sqlite").unlink(), (out / "journal.sqlite").symlink_to("../victim/made"))[0],
        "history regrade resume",
    ),
    "half-result-link": (ended("results/ana.json.part"), ""),
    "half-table-link": (ended("grades.csv.part"), ""),
    "half-page-link": (ended("report/index.html.part"), ""),
    "lock-fifo": (piped(".lock"), "resume grade regrade"),
    "result-fifo": (piped("results/ana.json"), "show csv gradescope"),
    "journal-fifo": (piped("journal.sqlite"), "history regrade resume"),
    "result-without-end": (endless, "show csv gradescope"),
    "result-of-another": (result(student="../../bo"), "csv gradescope"),
    "result-that-steers": (result(message=STEERING, student="ana"), ""),
    "row-without-result": (
        edited("DROP TABLE grade", UNTYPED, "INSERT INTO grade VALUES ('ana', NULL, 1, NULL, '', '')"),
        "history regrade resume",
    ),
    "row-of-a-number": (edited("UPDATE grade SET result = 5"), "history regrade resume"),
    "row-of-a-blob": (
        edited("INSERT INTO grade SELECT ?, work, exam, result, '', '' FROM grade LIMIT 1", values=(b"\xff",)),
        "history regrade resume",
    ),
    "row-without-utf-8": (
        edited(
            "INSERT INTO grade SELECT cast(? AS text), work, exam, result, '', '' FROM grade LIMIT 1", values=(b"\xff",)
        ),
        "regrade resume",
    ),
    "row-of-another": (edited("UPDATE grade SET result = (SELECT result FROM grade LIMIT 1)"), "regrade"),
    "row-too-deep": (edited("UPDATE grade SET result = ?", values=(b'{"x":' + b"[" * 100_000,)), "history regrade"),
    "row-too-large": (edited("UPDATE grade SET result = zeroblob(60000000)"), "history regrade resume"),
    "endless-view": (
        edited("DROP TABLE grade", f"CREATE VIEW grade AS {FOREVER} SELECT x AS student FROM n"),
        "history regrade resume",
    ),
    "endless-run": (
        edited(
            "ALTER TABLE run RENAME TO other",
            f"CREATE VIEW run AS {FOREVER} SELECT 'x' AS key, x AS value FROM n WHERE x < 0",
        ),
        "history regrade resume",
    ),
    "trigger": (edited("CREATE TRIGGER t AFTER INSERT ON run BEGIN DELETE FROM grade; END"), "history regrade resume"),
    "newer-version": (edited("UPDATE run SET value = '99' WHERE key = 'version'"), "history regrade resume"),
    "odd-version": (edited("UPDATE run SET value = '²' WHERE key = 'version'"), "history regrade resume"),
    "odd-assignment": (edited("UPDATE run SET value = '../kit' WHERE key = 'assignment'"), "regrade resume grade"),
    "odd-plan": (edited("UPDATE run SET value = x'ff00' WHERE key = 'plan'"), ""),
    "odd-submissions": (edited("UPDATE run SET value = '/tmp' || char(0) || 'x' WHERE key = 'submissions'"), "regrade"),
    "odd-history": (edited("INSERT INTO history VALUES ('ana', 5, 'e', 7, '')"), "history"),
    "no-journal": (lambda out: (out / "journal.sqlite").write_bytes(b"x" * 9999) and None, "history regrade resume"),
}


def when(number: int, command: str, ends: str) -> Collection[pytest.MarkDecorator]:
    """Return the marks of a pair: every day one command for each attack, thorough a sixth of the others."""
    if command == (ends.split() or ["resume"])[0]:
        return ()
    return (pytest.mark.thorough if number % 6 == 0 else pytest.mark.nightly,)


PAIRS = [
    pytest.param(attack, command, marks=when(number, command, ATTACKS[attack][1]))
    for number, (attack, command) in enumerate(itertools.product(ATTACKS, COMMANDS))
]


@pytest.mark.parametrize(("attack", "command"), PAIRS)
def test_a_folder_that_somebody_wrote_into(
    attack: str, command: str, place: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    plant, ends = ATTACKS[attack]
    plant(place / "out")
    before = contents(place / "victim")
    status = run(place, command)
    said = capfd.readouterr()
    assert contents(place / "victim") == before
    assert raw(said.out + said.err) == set()
    assert status != 0 or command not in ends.split()
    assert status == 0 or said.err.startswith("attngrade: ")


def contents(folder: Path) -> dict[str, bytes]:
    return {path.name: path.read_bytes() for path in folder.iterdir()}


def test_a_journal_does_not_take_confinement_away(place: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    asked: list[bool] = []
    grade_all = pool.grade_all
    monkeypatch.setattr(pool, "grade_all", lambda plan, *rest: asked.append(plan.unconfined) or grade_all(plan, *rest))
    edited("UPDATE run SET value = replace(value, '\"unconfined\":false', '\"unconfined\":true')")(place / "out")
    edited("UPDATE grade SET exam = 'older'")(place / "out")
    assert run(place, "regrade") == 0
    assert asked == [False]
