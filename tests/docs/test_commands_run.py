"""Every command in README.md and docs/ runs and exits with the status that its block expects, or says why no test
runs it."""

from __future__ import annotations

import csv
import subprocess
from collections.abc import Sequence
from pathlib import Path

import pytest

from tests.docs.pages import ROOT, blocks, pages

BLOCKS = [block for page in pages() for block in blocks(page)]
SWAPPED = "return context, weights", "return weights, context"


def test_most_blocks_are_run() -> None:
    run = [block for block in BLOCKS if not block.why_not]
    assert len(run) > 15
    assert sum(len(block.commands) for block in run) > 20


@pytest.fixture
def course(tmp_path: Path) -> Path:
    """A folder as the pages assume it: two students, a roster, and what Canvas and Moodle export."""
    solution = (ROOT / "solutions" / "bahdanau" / "bahdanau.py").read_text(encoding="utf-8")
    assert SWAPPED[0] in solution
    for student, text in {"ada": solution, "ben": solution.replace(*SWAPPED)}.items():
        (tmp_path / "SUBMISSIONS" / student).mkdir(parents=True)
        (tmp_path / "SUBMISSIONS" / student / "bahdanau.py").write_text(text, encoding="utf-8")
    students = [("ada", "Ada Byron"), ("ben", "Ben Ode"), ("cleo", "Cleo Vas")]
    write(tmp_path / "roster.csv", ["Student ID", "Name"], students)
    write(
        tmp_path / "gradebook.csv",
        ["Student", "ID", "SIS User ID", "SIS Login ID", "Section", "Bahdanau attention (7001)"],
        [
            ("    Points Possible", "", "", "", "", "50.00"),
            *(
                (" ".join(name.split()[::-1]), str(number), "", login, "CS 101", "")
                for number, (login, name) in enumerate(students, 101)
            ),
        ],
    )
    write(
        tmp_path / "worksheet.csv",
        [
            "Identifier",
            "ID number",
            "Full name",
            "Email address",
            "Status",
            "Grade",
            "Maximum Grade",
            "Grade can be changed",
            "Last modified (submission)",
            "Last modified (grade)",
            "Feedback comments",
        ],
        [
            (f"Participant {number}", login, name, f"{login}@x.edu", "-", "", "50.00", "Yes", "-", "-", "")
            for number, (login, name) in enumerate(students, 501)
        ],
    )
    return tmp_path


def write(path: Path, header: list[str], rows: Sequence[tuple[str, ...]]) -> None:
    with path.open("w", encoding="utf-8", newline="") as file:
        csv.writer(file).writerows([header, *rows])


@pytest.mark.thorough  # a minute
def test_the_commands_run(course: Path, environment: dict[str, str]) -> None:
    """The pages are read in their order, in one folder. A command that has run already is not run again."""
    wrong, done = [], set()
    for block in BLOCKS:
        for command in block.commands:
            if block.why_not or command in done:
                continue
            done.add(command)
            ran = subprocess.run(
                ["bash", "-c", command], cwd=course, env=environment, capture_output=True, text=True, timeout=300
            )
            if ran.returncode != block.status:
                told = f"{block.page}:{block.line}: {command}: exited with {ran.returncode}, not {block.status}"
                wrong.append(f"{told}\n{ran.stdout[-1000:]}{ran.stderr[-1000:]}")
    assert not wrong, "\n\n".join(wrong)
    with (course / "OUT" / "grades.csv").open(encoding="utf-8", newline="") as file:
        statuses = {row["student"]: row["status"] for row in csv.DictReader(file)}
    assert statuses == {"ada": "graded", "ben": "graded"}  # the last run has no roster, and so no cleo
