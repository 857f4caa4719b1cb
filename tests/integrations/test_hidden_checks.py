"""Students see hidden checks by number. Titles and ids reach them only if the course says so."""

from __future__ import annotations

import contextlib
import re
import sys
from collections.abc import Iterable
from importlib.util import find_spec
from pathlib import Path

import pytest

from autograder import assignments, model
from autograder.cli import app
from autograder.cli.commands.otter import build
from autograder.feedback import shown
from autograder.integrations.export import FORMATS
from autograder.integrations.otter.bundle import BundleSettings
from autograder.runs import pool
from autograder.sandbox.limits import Limits
from tests.command_helpers import Run
from tests.integrations.export.export_helpers import write_run
from tests.integrations.student_views import ASSIGNMENT, VIEWS, WITH_IDS, WITH_TITLES, Graded, started, student_views
from tests.paths import ROOT

pytestmark = [
    pytest.mark.skipif(sys.platform != "linux", reason="grades for real"),
    pytest.mark.skipif(not (find_spec("nbgrader") and find_spec("otter")), reason="nbgrader and otter show grades"),
]
HIDDEN = [check for check in assignments.load(ASSIGNMENT, True).checks if check.visibility == "hidden"]
TITLES, IDS = [check.title for check in HIDDEN], [check.id for check in HIDDEN]
CLASS_TABLES = {"nbgrader", "otter"}  # for staff, without texts
FOR_STAFF = {"csv", "junit", "ctrf"}


@pytest.fixture(scope="module")
def grade() -> model.Grade:
    """The grade of the starter file: it fails every hidden check."""
    source = (ROOT / "assignments" / ASSIGNMENT / f"{ASSIGNMENT}.py").read_bytes()
    work = model.Submission("ana", "ready", "script", f"{ASSIGNMENT}.py", (source,))
    with contextlib.closing(pool.Grader(pool.RunPlan(ASSIGNMENT, "a seed", Limits()))) as grader:
        found = grader.grade(work)
    assert {check.status for check in found.checks if check.visibility == "hidden"} == {"error"}
    return found


@pytest.fixture(scope="module")
def course(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A released nbgrader course."""
    from nbgrader.apps import GenerateAssignmentApp

    course = tmp_path_factory.mktemp("released") / "course"
    assert app.run(["nbgrader", "init", str(course), "--assignment", ASSIGNMENT]) == 0
    started(course, GenerateAssignmentApp)
    return course


@pytest.fixture
def graded(grade: model.Grade, course: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Graded:
    return Graded(grade, course, tmp_path, False, monkeypatch)


def told(views: dict[str, str], words: Iterable[str]) -> dict[str, list[str]]:
    """Return which of the words each view tells, if any. A word is not part of a longer id."""
    patterns = {word: re.compile(rf"(?<![\w-]){re.escape(word)}(?![\w-])") for word in words}
    found = {name: [word for word in patterns if patterns[word].search(text)] for name, text in views.items()}
    return {name: told for name, told in found.items() if told}


def test_no_student_sees_a_hidden_checks_title_or_id(graded: Graded) -> None:
    views = student_views(graded)
    assert views.keys() == VIEWS.keys()
    assert told(views, TITLES) == {}
    assert told(views, IDS) == {}
    numbers = [shown.TITLE.format(number) for number in range(1, len(TITLES) + 1)]
    numbered = told(views, numbers)
    assert {name: numbered[name] for name in WITH_TITLES} == dict.fromkeys(WITH_TITLES, numbers)


def test_a_course_may_show_its_students_the_titles(graded: Graded) -> None:
    views = student_views(graded._replace(hidden_titles=True))
    assert told(views, TITLES) == dict.fromkeys(WITH_TITLES, TITLES)
    assert told(views, IDS) == dict.fromkeys(WITH_IDS, IDS)


def test_students_still_see_the_rest_of_a_hidden_check(graded: Graded) -> None:
    for name, text in student_views(graded).items():
        for check in graded.grade.checks if name in WITH_TITLES else ():
            assert check.message in text, name
            assert check.hint in text, name


def test_every_export_is_for_students_or_for_staff() -> None:
    assert FORMATS.keys() - CLASS_TABLES - FOR_STAFF == FORMATS.keys() & VIEWS.keys()
    assert {name for name, form in FORMATS.items() if form.for_students} == FORMATS.keys() & WITH_TITLES


@pytest.mark.parametrize("program", sorted(FOR_STAFF))
def test_exports_for_staff_keep_titles_and_ids(program: str, grade: model.Grade, tmp_path: Path, run: Run) -> None:
    out = write_run(tmp_path / "out", (grade,))
    assert run("export", out, "--to", program, "--output", tmp_path / "file").status == 0
    text = (tmp_path / "file").read_text(encoding="utf-8").replace("\\u00b1", "±")
    assert told({program: text}, TITLES) == {program: TITLES}
    assert told({program: text}, IDS) == {program: IDS}


def test_titles_are_an_option_only_where_students_read(grade: model.Grade, tmp_path: Path, run: Run) -> None:
    result = run("export", write_run(tmp_path / "out", (grade,)), "--to", "csv", "--hidden-titles")
    assert result.status == 2
    assert "--hidden-titles is an option of --to gradescope and moodle, not of --to csv" in result.err


@pytest.mark.parametrize(("options", "kept"), [([], False), (["--hidden-titles"], True)])
def test_a_zip_takes_the_setting_with_it(
    options: list[str], kept: bool, tmp_path: Path, run: Run, monkeypatch: pytest.MonkeyPatch
) -> None:
    packed: list[BundleSettings] = []
    monkeypatch.setattr(build, "_assign", lambda notebook, settings, seed, texts: packed.append(settings) or 0)
    assert run("otter", "build", ASSIGNMENT, "--out", tmp_path / "built", *options).status == 0
    assert [settings.hidden_titles for settings in packed] == [kept]
