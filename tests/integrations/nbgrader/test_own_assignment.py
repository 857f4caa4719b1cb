"""Assignments of a course's own in the real nbgrader: released, collected, graded in both ways, with feedback."""

from __future__ import annotations

import csv
import json
import shutil
from importlib.util import find_spec
from pathlib import Path
from typing import NamedTuple

import pytest

from tests.integrations.course_class import COURSE, EXAMPLES, Example, attngrade, each, rows
from tests.integrations.nbgrader.class_helpers import name_of, nbgrader, program, read

pytestmark = [
    pytest.mark.skipif(not find_spec("nbgrader"), reason="nbgrader is not installed: pip install -e '.[nbgrader]'"),
    pytest.mark.thorough,  # real nbgrader
]


class Class(NamedTuple):
    """The course as nbgrader graded it, its twin that was graded in bulk, the rows of ``grade``, and what was said."""

    example: Example
    course: Path
    twin: Path
    plain: dict[str, dict[str, str]]
    said: dict[str, str]


def hand_in(course: Path, example: Example) -> None:
    """Put four students' notebooks where nbgrader collects them."""
    name = example.name
    release = read(course / "release" / name / f"{name}.ipynb")
    source = read(course / "source" / name / f"{name}.ipynb")
    answers = {name_of(cell): cell["source"] for cell in source["cells"]}
    changes = {"ana": ("", ""), "bo": (example.right, example.wrong), "dara": example.broken}
    for student in (*changes, "chen"):
        made = json.loads(json.dumps(release))
        for cell in made["cells"]:
            if student in changes and cell["metadata"].get("nbgrader", {}).get("solution"):
                cell["source"] = answers[name_of(cell)].replace(*changes[student])
        folder = course / "submitted" / student / name
        folder.mkdir(parents=True)
        (folder / f"{name}.ipynb").write_text(json.dumps(made))


@pytest.fixture(scope="module", params=each(by_day="layer_norm"))
def graded(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Class:
    """Everything once. nbgrader's own commands know the folder from the configuration alone."""
    example: Example = request.param
    name, base = example.name, tmp_path_factory.mktemp("nbgrader")
    course, twin = base / "cs", base / "twin"
    attngrade("nbgrader", "init", course, "--assignment", name, cwd=base)
    validate = ["validate", f"source/{name}/{name}.ipynb"]
    said = nbgrader(["db", "upgrade"], ["generate_assignment", name], validate, cwd=course)
    hand_in(course, example)
    shutil.copytree(course, twin)
    said |= nbgrader(["autograde", name], ["generate_feedback", name], ["export"], cwd=course)
    said["bulk"] = attngrade("nbgrader", "grade", twin, name, cwd=base)
    nbgrader(["export"], cwd=twin)
    attngrade("grade", course, "-a", name, "-o", base / "plain", cwd=base)
    return Class(example, course, twin, rows(base / "plain"), said)


def exported(course: Path) -> dict[str, float]:
    with (course / "grades.csv").open() as table:
        return {row["student_id"]: float(row["score"]) for row in csv.DictReader(table)}


def test_both_ways_give_the_scores_of_grade(graded: Class) -> None:
    expected = {student: float(row["score"]) for student, row in graded.plain.items()}
    assert exported(graded.course) == pytest.approx(expected, abs=1e-4)
    assert exported(graded.twin) == pytest.approx(expected, abs=1e-4)
    assert (expected["ana"], expected["chen"]) == (100.0, 0.0)
    assert all(0 < expected[student] < 100 for student in ("bo", "dara"))
    assert "ana: - -> 100.00" in graded.said["bulk"]


def test_the_source_is_valid_and_the_release_has_no_solution(graded: Class) -> None:
    assert "passes all the tests" in graded.said["validate"]
    example = graded.example
    released = (graded.course / "release" / example.name / f"{example.name}.ipynb").read_text()
    hole = example.solution.split("### BEGIN SOLUTION")[1].splitlines()[1].strip()
    assert hole not in released
    assert not [title for title in (*example.titles, "hidden-") if title in released]


def test_feedback_names_the_cause_of_the_course(graded: Class) -> None:
    name = graded.example.name
    page = (graded.course / "feedback" / "bo" / name / f"{name}.html").read_text()
    assert graded.example.mistake in page
    assert not [title for title in graded.example.titles if title in page]


def test_what_is_missing_is_named(graded: Class, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A configuration without the folder is no riddle, and an older one is not left without it."""
    name, config = graded.example.name, graded.course / "nbgrader_config.py"
    other = next(one.name for one in EXAMPLES if one.name != name)
    text = config.read_text()
    try:
        config.write_text("".join(line for line in text.splitlines(True) if "ATTNGRADE_COURSE" not in line))
        done = program("nbgrader", "autograde", name, "--force", "--student", "ana", cwd=graded.course)
        assert done.returncode != 0
        assert f"there is no assignment '{name}' here" in done.stdout + done.stderr
        words = ["nbgrader", "init", graded.course, "-a", other, "--course", COURSE]
        done = program("attngrade", *words, cwd=tmp_path)
        assert done.returncode == 2
        assert f'os.environ.setdefault("ATTNGRADE_COURSE", {str(COURSE)!r})' in done.stderr
    finally:
        config.write_text(text)
