"""An assignment of a course's own, from nothing to a graded class, as docs/authors.md shows it."""

from __future__ import annotations

import csv
import json
from pathlib import Path
from typing import Any

import pytest

from tests.cli.author_course import NAME, attngrade, made

WRONG = "key = key / key.norm(dim=-1, keepdim=True)"


@pytest.fixture(scope="module")
def course(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A course with one assignment, built."""
    folder = tmp_path_factory.mktemp("course") / "my_course"
    done = attngrade(folder.parent, "author", "new", NAME, folder)
    assert done.returncode == 0, done.stderr
    assert f"attngrade author build --course {folder}" in done.stdout
    done = attngrade(folder, "author", "build")
    assert done.returncode == 0, done.stderr
    return folder


def test_new_overwrites_nothing(course: Path) -> None:
    again = attngrade(course, "author", "new", NAME, course)
    assert (again.returncode, again.stdout) == (2, "")
    assert "there is a cosine already" in again.stderr
    odd = attngrade(course, "author", "new", "Cosine-2", course)
    assert "is no name for an assignment" in odd.stderr
    assert not (course / "Cosine-2").exists()


def test_it_is_listed_last_and_handed_out(course: Path, tmp_path: Path) -> None:
    rows = json.loads(attngrade(course, "list", "--json").stdout)
    assert (rows[-1]["assignment"], rows[-1]["public_points"]) == (NAME, 50)
    assert attngrade(course, "new", NAME, tmp_path / "work").returncode == 0
    given = (tmp_path / "work" / f"{NAME}.py").read_text()
    assert "raise NotImplementedError" in given
    assert "query.norm" not in given
    hint = attngrade(course, "hint", "cosine_scores", "3")
    assert "the cosine is 0.8" in hint.stdout


def test_check_and_grade(course: Path, tmp_path: Path) -> None:
    solution = (course / NAME / "solution.py").read_text()
    half = solution.replace(WRONG, "key = key * 1")
    plain = half.replace("query = query / query.norm(dim=-1, keepdim=True)", "query = query * 1")
    for student, text in (("ana", solution), ("bo", half), ("cy", plain)):
        (tmp_path / "in" / student).mkdir(parents=True)
        (tmp_path / "in" / student / f"{NAME}.py").write_text(text)
    check = attngrade(course, "check", tmp_path / "in" / "bo")
    assert check.returncode == 1
    assert "cosine_scores gives the right values" in check.stdout
    done = attngrade(course, "grade", tmp_path / "in", "-a", NAME, "-o", tmp_path / "out", "--jobs", "1")
    assert done.returncode == 0, done.stderr
    with (tmp_path / "out" / "grades.csv").open(encoding="utf-8") as file:
        rows = {row["student"]: row for row in csv.DictReader(file)}
    assert rows["ana"]["score"] == "100"
    assert float(rows["bo"]["score"]) < 100
    report = tmp_path / "out" / "report"
    assert rows["cy"]["diagnoses"] == "not-normalised"
    assert "</b> Plain products of vectors grow with both lengths." in (report / "index.html").read_text()
    assert "Plain products" not in (report / "students" / "cy.html").read_text()
    result = json.loads((tmp_path / "out" / "results" / "bo.json").read_text())
    hidden = [one for one in result["checks"] if one["visibility"] == "hidden"]
    assert hidden
    assert all(one["id"].startswith("hidden-") for one in hidden)


@pytest.mark.thorough
def test_a_changed_check_changes_the_marks_of_a_regrade(course: Path, tmp_path: Path) -> None:
    own = tmp_path / "own"
    made(own)
    assert attngrade(own, "author", "build").returncode == 0
    (tmp_path / "in").mkdir()
    solution = (own / NAME / "solution.py").read_text()
    (tmp_path / "in" / "bo.py").write_text(solution.replace(WRONG, "key = key * 1"))
    assert attngrade(own, "grade", tmp_path / "in", "-a", NAME, "-o", tmp_path / "out").returncode == 0
    checks = own / NAME / "checks.py"
    text = (
        checks.read_text()
        .replace("values(COSINE, 30)", "values(COSINE, 20)")
        .replace("shapes(COSINE, 5)", "shapes(COSINE, 15)")
    )
    checks.write_text(text)
    done = attngrade(own, "regrade", tmp_path / "out")
    assert done.returncode == 0, done.stderr
    assert "1 computed from known outcomes" in done.stdout


@pytest.mark.thorough
def test_a_check_tells_of_a_build_that_is_out_of_date(course: Path, tmp_path: Path) -> None:
    own = tmp_path / "own"
    made(own)
    assert attngrade(own, "author", "build").returncode == 0
    assert attngrade(own, "author", "check").stdout == f"{NAME}: nothing is wrong\n"
    handout = own / NAME / "handout.md"
    handout.write_text(handout.read_text() + "\nWork alone.\n")
    done = attngrade(own, "author", "check")
    assert done.stdout == f"{NAME}: nothing is wrong; what students get is out of date: attngrade author build {NAME}\n"
    assert done.returncode == 0


@pytest.mark.thorough
def test_the_audit_kills_all_mutants_of_the_first_files(course: Path) -> None:
    done = attngrade(course, "author", "audit", "--json")
    (figures,) = json.loads(done.stdout)
    assert done.returncode == 0, done.stdout
    assert figures["mutants"] > 15
    assert figures["survived"] == figures["let_through"] == figures["marked_down"] == figures["cause_missed"] == []


@pytest.mark.thorough
def test_a_student_without_hidden_checks_and_reference(course: Path, tmp_path: Path) -> None:
    """A student's installation has the public checks, and what a build made."""
    import shutil

    theirs = tmp_path / "theirs" / NAME
    shutil.copytree(course / NAME / "built", theirs / "built")
    shutil.copy(course / NAME / "checks.py", theirs)
    (tmp_path / "ana.py").write_text((course / NAME / "solution.py").read_text().replace(WRONG, "key = key * 1"))
    done = attngrade(theirs.parent, "check", tmp_path / "ana.py", "-a", NAME)
    assert done.returncode == 1, done.stderr
    assert "25.00 of 50 points" in done.stdout or "of 50 points" in done.stdout


TWO_PARTS = {
    "solution.py": """\
# %% [markdown]
# # Two

# %%
import torch

# %% [markdown]
# ## first


# %%
def first(x):
    \"\"\"Return x without its mean, and the mean: (N, d) -> (N, d), (N,).\"\"\"
    ### BEGIN SOLUTION: return the centred rows and their means
    return x - x.mean(-1, keepdim=True), x.mean(-1)
    ### END SOLUTION


# %% [markdown]
# ## second


# %%
def second(x):
    \"\"\"Return the tanh of the centred rows: (N, d) -> (N, d).\"\"\"
    ### BEGIN SOLUTION: return their tanh
    return torch.tanh(first(x)[0])
    ### END SOLUTION
""",
    "reference.py": """\
import torch


def first(x):
    return x - x.mean(-1, keepdim=True), x.mean(-1)


def second(x):
    return torch.tanh(first(x)[0])
""",
    "checks.py": """\
from autograder.author import function, part, values

TITLE = "Two"
FIRST = function("first", x="N d", returns={"result": "N d", "mean": "N"})
SECOND = function("second", x="N d", returns={"result": "N d"})
CHECKS = (*part("first", values(FIRST, 30)), *part("second", values(SECOND, 20)))
""",
    "hidden_checks.py": """\
from autograder.author import part, stateless, values

from .checks import FIRST, SECOND

CHECKS = (*part("first", values(FIRST, 20), stateless(FIRST, 10)), *part("second", values(SECOND, 20)))
""",
    "mistakes.py": """\
from autograder.author.mistakes import mistake

MISTAKES = (
    mistake("one-mean", "One mean.", "How many?", first=lambda x: (x - x.mean(), x.mean(-1))),
    mistake("mean-left-out", "No mean.", "How many results?", first=lambda x: x - x.mean(-1, keepdim=True)),
    mistake("mean-of-none", "NaN.", "Of how many?", first=lambda x: (x - x[:0].mean(), x.mean(-1))),
)
""",
    "handout.md": "# Two\n\n## first\n\nCentre.\n\n## second\n\nTanh.\n",
}
RIGHT, USED = "x - x.mean(-1, keepdim=True)", "torch.tanh(first(x)[0])"
STUDENTS = {  # name -> what is changed
    "bo": (RIGHT, "x - x.mean()"),
    "cy": (USED, "torch.tanh(x - x.mean())"),
    "di": (f"{RIGHT}, x.mean(-1)", RIGHT),
    "ed": (RIGHT, "x - x[:0].mean()"),
}


@pytest.fixture(scope="module")
def two_parts(tmp_path_factory: pytest.TempPathFactory) -> dict[str, dict[str, dict[str, Any]]]:
    """The outcomes of four students in an assignment of two parts: student -> check -> outcome."""
    folder = tmp_path_factory.mktemp("parts")
    course, handed = folder / "course" / "two", folder / "in"
    course.mkdir(parents=True)
    handed.mkdir()
    for name, text in TWO_PARTS.items():
        (course / name).write_text(text)
    for student, (old, new) in STUDENTS.items():
        assert old in TWO_PARTS["solution.py"]
        (handed / f"{student}.py").write_text(TWO_PARTS["solution.py"].replace(old, new))
    done = attngrade(course.parent, "grade", handed, "-a", "two", "-o", folder / "out", "--no-timing")
    assert done.returncode == 0, done.stderr
    results = [json.loads(path.read_text()) for path in (folder / "out" / "results").glob("*.json")]
    return {one["student"]: {check["id"]: check for check in one["checks"]} for one in results}


def points(outcomes: dict[str, dict[str, Any]], part: str) -> float:
    """The points of a part."""
    return sum(one["points"] for one in outcomes.values() if one["part"] == part)


def test_a_mistake_in_one_part_costs_half_of_it_and_nothing_in_a_part_that_uses_it(two_parts: Any) -> None:
    assert (points(two_parts["bo"], "first"), points(two_parts["bo"], "second")) == (30, 40)


def test_a_mistake_of_a_part_is_named_in_a_part_that_could_use_it(two_parts: Any) -> None:
    assert (points(two_parts["cy"], "first"), points(two_parts["cy"], "second")) == (60, 20)
    assert two_parts["cy"]["second-values"]["diagnosis"] == "one-mean"


# Where a result is missing, no answer shows that the rest is right.
@pytest.mark.parametrize(("student", "cause", "left"), [("di", "mean-left-out", 0), ("ed", "mean-of-none", 30)])
def test_a_mistake_without_a_result_or_with_nan_is_named_and_costs_nothing_elsewhere(
    two_parts: Any, student: str, cause: str, left: int
) -> None:
    assert (points(two_parts[student], "first"), points(two_parts[student], "second")) == (left, 40)
    failed = [one for one in two_parts[student].values() if one["part"] == "first"]
    assert {one["diagnosis"] for one in failed} == {cause}
