"""Tokens and quizzes in commands: new writes a token, grade tells its state to staff, quiz writes the questions."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from autograder import assignments
from autograder.assignments import quizzes
from autograder.feedback.shown import as_seen
from autograder.intake import starter
from autograder.intake.notebook import code_cells
from autograder.model import Grade, tokens
from tests.command_helpers import Run

WITH_TOKEN = [name for name in assignments.NAMES if assignments.declared(name, "", "TOKEN", False)]
WITH_QUIZ = [name for name in assignments.NAMES if quizzes.has_quiz(name)]
WITHOUT = next(name for name in assignments.NAMES if name not in WITH_TOKEN)
STUDENT = "anna.müller"


@pytest.fixture
def key(tmp_path: Path) -> Path:
    path = tmp_path / "course.key"
    path.write_text("a long random text\n", encoding="utf-8")
    return path


@pytest.mark.parametrize("assignment", WITH_TOKEN)
def test_new_writes_the_token_into_script_and_notebook(run: Run, tmp_path: Path, key: Path, assignment: str) -> None:
    folder = tmp_path / "work"
    assert run("new", assignment, str(folder), "--student", STUDENT, "--key", str(key)).status == 0
    token = tokens.make(assignment, STUDENT, b"a long random text")
    book = json.loads((folder / f"{assignment}.ipynb").read_text(encoding="utf-8"))
    lines = [line for cell in book["cells"] for line in cell["source"] if line.startswith("TOKEN =")]
    lines += [
        line
        for line in (folder / f"{assignment}.py").read_text(encoding="utf-8").splitlines()
        if line.startswith("TOKEN =")
    ]
    assert len(lines) == 2
    assert all(f'"{token}"' in line for line in lines)
    for name in (f"{assignment}.py", f"{assignment}.ipynb"):
        data = (folder / name).read_bytes()
        cells = code_cells(data, ()) if name.endswith("ipynb") else [data]
        assert starter.is_starter(cells, assignment)


@pytest.mark.parametrize(
    ("call", "words"),
    [
        (("new", WITHOUT, "x", "--student", "ana"), "has no token"),
        (("new", WITH_TOKEN[0], "x", "--student", ""), "needs an ID"),
        (("quiz", WITHOUT, "--format", "gift", "--out", "q"), "has no quiz"),
    ],
)
def test_a_wrong_call_is_named(run: Run, call: tuple[str, ...], words: str) -> None:
    found = run(*call)
    assert found.status == 2
    assert words in found.err


def test_a_key_needs_a_student(run: Run, key: Path) -> None:
    assert "--student ID" in run("new", WITH_TOKEN[0], "x", "--key", str(key)).err
    key.write_text("", encoding="utf-8")
    assert "is empty" in run("new", WITH_TOKEN[0], "x", "--student", "ana", "--key", str(key)).err


@pytest.mark.parametrize("form", ["gift", "qti"])
@pytest.mark.parametrize("assignment", WITH_QUIZ)
def test_a_quiz_is_written(run: Run, tmp_path: Path, assignment: str, form: str) -> None:
    for number, more in enumerate([(), ("--student", STUDENT)]):
        out = tmp_path / f"quiz-{number}"
        assert run("quiz", assignment, "--format", form, "--out", str(out), *more).status == 0
        assert out.stat().st_size > 1000
    assert (tmp_path / "quiz-0").read_bytes() != (tmp_path / "quiz-1").read_bytes()


@pytest.mark.parametrize(
    ("state", "seen"),
    [("missing", "missing"), ("unreadable", "unreadable"), ("forged", ""), ("foreign", ""), ("ok", "")],
)
def test_students_see_only_that_theirs_is_missing_or_unreadable(state: str, seen: str) -> None:
    grade = Grade("ana", WITH_TOKEN[0], 0.0, 100.0, "graded", (), {}, token=state)
    assert as_seen(grade).token == seen
