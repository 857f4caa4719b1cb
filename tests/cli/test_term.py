"""A term: what people decide survives all that the grader does, up to the learning management system."""

from __future__ import annotations

import csv
from pathlib import Path

import pytest

from autograder.runs.run_folder import RunFolder
from tests.cli.conftest import SOLUTION
from tests.command_helpers import Run

WORKS = {
    "ana": SOLUTION,
    "bo": SOLUTION.replace("torch.tanh(", "torch.sigmoid("),
    "chen": "import torch\n",
    "dara": SOLUTION + "\n# mine\n",
    "eli": "x = (\n",
}
IDS = {name: str(number) for number, name in enumerate([*WORKS, "finn"], 101)}
DECISIONS = (
    ("ana", "-3", "Kim"),
    ("bo@x.edu", "+5", "Kim"),
    ("chen", "=40", "Lee"),
    ("Name, Dara", "--excuse", "Lee"),
    ("finn", "=50", "Kim"),
    ("bo", "--extend=2d", "Lee"),
    ("eli", "--extend=2d", "Lee"),
)

DROPPED = "attention-uniform"


@pytest.fixture
def course(tmp_path: Path) -> Path:
    for name, text in WORKS.items():
        hand_in(tmp_path, name, text)
    roster = "".join(f"{name},{name.title()} Name,{name}@x.edu\n" for name in IDS)
    (tmp_path / "roster.csv").write_text(f"SIS User ID,Name,Email\n{roster}")
    (tmp_path / "due.csv").write_text("student,deadline\n*,2026-02-01T12:00Z\n")
    book = "".join(f"{name},{number},{name},{name},CS,\n" for name, number in IDS.items())
    (tmp_path / "book.csv").write_text(f"Student,ID,SIS User ID,SIS Login ID,Section,Bahdanau (7)\n{book}")
    sheet = "".join(f"Participant {number},{name}@x.edu,,100.00,,\n" for name, number in IDS.items())
    heading = "Identifier,Email address,Grade,Maximum Grade,Last modified (grade),Feedback comments\n"
    (tmp_path / "sheet.csv").write_text(heading + sheet)
    return tmp_path


def hand_in(course: Path, name: str, text: str) -> None:
    (course / "in" / name).mkdir(parents=True, exist_ok=True)
    (course / "in" / name / "bahdanau.py").write_text(text)


def finals(out: Path) -> dict[str, tuple[str, str]]:
    with (out / "grades.csv").open(newline="") as file:
        return {row["student"]: (row["adjustment"], row["final_score"]) for row in csv.DictReader(file)}


@pytest.mark.thorough
def test_a_term(course: Path, run: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    out = course / "out"
    common = ("-a", "bahdanau", "-o", out, "-j", 2, "--no-timing", "--roster", course / "roster.csv", "--json")
    grade = ("grade", course / "in", *common)
    assert run(*grade, "--deadlines", course / "due.csv").status == 0
    for student, change, by in DECISIONS:
        assert run("adjust", out, student, change, "--reason", f"because of {student}", "--by", by).status == 0
    decided = {"ana": "97.00", "chen": "40.00", "dara": "", "eli": "0.00", "finn": "50.00"}
    kind = finals(out)["bo"]
    assert finals(out) == {student: (finals(out)[student][0], mark) for student, mark in decided.items()} | {"bo": kind}
    assert kind[0] == "5.00"

    (course / "in" / "assignment.toml").write_text(f'drop = ["{DROPPED}"]\n')
    assert run("regrade", out, "--strict", "--apply", "--json").status == 0
    strict = finals(out)
    assert DROPPED not in (out / "results" / "bo.json").read_text()
    assert float(strict["bo"][1]) < float(kind[1])
    assert {student: mark for student, (_, mark) in strict.items() if student != "bo"} == decided

    hand_in(course, "ana", WORKS["bo"])
    with monkeypatch.context() as patch:
        patch.setattr(RunFolder, "finish", lambda *_: (_ for _ in ()).throw(KeyboardInterrupt))
        assert run(*grade, "--strict", "--resume").status == 1
    done = run(*grade, "--strict", "--resume")
    assert "look again: ana" in done.err
    after = finals(out)
    assert after["bo"] == strict["bo"]
    assert float(after["ana"][1]) == pytest.approx(float(after["bo"][1]) - 8, abs=0.011)  # -3 and +5 of the same work

    hand_in(course, "eli", SOLUTION)
    assert run(*grade, "--strict", "--only", "eli").status == 0
    assert DROPPED not in (out / "results" / "eli.json").read_text()
    assert finals(out) == after | {"eli": ("0.00", "100.00")}

    assert run("export", out, "--to", "canvas", "--roster", course / "book.csv").status == 0
    assert exported(out / "exports" / "canvas.csv", "ID", "Bahdanau (7)") == {
        IDS["ana"]: after["ana"][1],
        IDS["bo"]: after["bo"][1],
        IDS["chen"]: "40.00",
        IDS["dara"]: "EX",
        IDS["eli"]: "100.00",
        IDS["finn"]: "50.00",
    }
    assert run("export", out, "--to", "moodle", "--roster", course / "sheet.csv").status == 0
    moodle = exported(out / "exports" / "moodle.csv", "Email address", "Grade")
    assert moodle == {f"{name}@x.edu": mark for name, (_, mark) in finals(out).items()}

    for student, change, by in DECISIONS:
        history = run("show", out, student, "--history").out
        assert f"{by} decided: " in history, change
        assert f"because of {student}" in history
    lines = run("show", out, "Name, Bo", "--history").out.splitlines()
    assert ["+5 points" in lines[0], "extended: 2d" in lines[1], "regraded by" in lines[2]] == [True] * 3


def exported(path: Path, key: str, column: str) -> dict[str, str]:
    """A column by another, with two decimals."""
    with path.open(newline="") as file:
        rows = [row for row in csv.DictReader(file) if row[key].strip()]
    return {row[key]: f"{float(row[column]):.2f}" if row[column][:1].isdigit() else row[column] for row in rows}
