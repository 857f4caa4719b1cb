"""Every text that a student can see of a grade, in every program that shows one."""

from __future__ import annotations

import contextlib
import html
import json
import re
import shutil
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any, NamedTuple

import msgspec
import pytest

from autograder import model
from autograder.cli import app
from autograder.cli.commands.otter import autograde
from autograder.integrations.otter import bundle, plugin
from autograder.runs import pool
from tests.integrations.export.export_helpers import SAMPLES, write_run

ASSIGNMENT = "bahdanau"
WITH_TITLES = {"gradescope", "moodle", "otter autograde", "otter run", "nbgrader autograde", "nbgrader grade"}
WITH_IDS = {"nbgrader autograde", "nbgrader grade"}  # next to the titles


class Graded(NamedTuple):
    """A student's grade, and a released nbgrader course. ``folder`` is empty. ``patch`` lasts for one test."""

    grade: model.Grade
    course: Path
    folder: Path
    hidden_titles: bool
    patch: pytest.MonkeyPatch

    @property
    def option(self) -> list[str]:
        """What the command line of a command says."""
        return ["--hidden-titles"] if self.hidden_titles else []


def student_views(graded: Graded) -> dict[str, str]:
    """Return what the student reads, by program."""

    class Grader:
        def __init__(self, plan: object) -> None:
            pass

        def grade(self, work: object) -> model.Grade:
            return graded.grade

        def close(self) -> None:
            pass

    graded.patch.setattr(pool, "Grader", Grader)
    graded.patch.setattr(pool, "grade_all", lambda plan, works, jobs: ((work, graded.grade) for work in works))
    return {name: view(graded) for name, view in VIEWS.items()}


def gradescope(graded: Graded) -> str:
    return _json((exported(graded, "gradescope") / graded.grade.student / "results.json").read_bytes())


def canvas(graded: Graded) -> str:
    return exported(graded, "canvas", "--roster", SAMPLES / "canvas.csv").read_text()


def moodle(graded: Graded) -> str:
    return html.unescape(exported(graded, "moodle", "--roster", SAMPLES / "moodle.csv").read_text())


def feedback_page(graded: Graded) -> str:
    return html.unescape(_feedback(graded, ".html"))


def feedback_text(graded: Graded) -> str:
    return html.unescape(re.sub(r"\\\\([^\\w\\s])", r"\\1", _feedback(graded, ".md")))


def _feedback(graded: Graded, suffix: str) -> str:
    out = graded.folder / "out"
    write_run(out, (graded.grade,))
    assert run("feedback", out) == 0
    return (out / "feedback" / f"{graded.grade.student}{suffix}").read_text()


def exported(graded: Graded, program: str, *options: object) -> Path:
    """Return what ``export`` writes."""
    out, target = graded.folder / "out", graded.folder / program
    write_run(out, (graded.grade,))
    chosen = graded.option if program in WITH_TITLES else []
    assert run("export", out, "--to", program, "--output", target, *options, *chosen) == 0
    return target


def run(*words: object) -> int:
    """Run a command."""
    return app.run([str(word) for word in words])


def otter_autograde(graded: Graded) -> str:
    """Return what the zip writes on Gradescope."""
    root = graded.folder / "autograder"
    for folder in ("bundle", "submission", "results"):
        (root / folder).mkdir(parents=True)
    (root / "bundle" / bundle.SEED).write_text("secret\n")
    (root / "bundle" / bundle.PLAN).write_bytes(msgspec.json.encode(settings(graded)))
    graded.patch.setattr(autograde, "ROOT", root / "bundle")
    assert run("otter", "autograde", root) == 0
    return _json((root / "results" / "results.json").read_bytes())


def otter_run(graded: Graded) -> str:
    """Return what otter itself makes of the plugin's results."""
    from otter.run.run_autograder.autograder_config import AutograderConfig
    from otter.test_files import GradingResults

    results, ours = GradingResults([]), plugin.Plugin(None, {}, {})
    ours.grade, ours.settings = graded.grade, settings(graded)
    ours.after_grading(results)
    return _json(json.dumps(results.to_gradescope_dict(AutograderConfig({"show_hidden": True})))) + results.summary()


def settings(graded: Graded) -> bundle.BundleSettings:
    """Return the settings of a zip."""
    questions = {check.id: f"q{number % 3 + 1}" for number, check in enumerate(graded.grade.checks)}
    return bundle.BundleSettings(ASSIGNMENT, questions, hidden_titles=graded.hidden_titles)


def nbgrader_autograde(graded: Graded) -> str:
    """Return the feedback after ``nbgrader autograde``."""
    from nbgrader.apps import AutogradeApp

    course = handed_in(graded, "autograde")
    if graded.hidden_titles:
        with (course / "nbgrader_config.py").open("a") as config:
            config.write("c.AttnGrade.hidden_titles = True\n")
    started(course, AutogradeApp)
    return feedback(course, graded)


def nbgrader_grade(graded: Graded) -> str:
    """Return the feedback after ``attngrade nbgrader grade``."""
    course = handed_in(graded, "bulk")
    assert run("nbgrader", "grade", course, ASSIGNMENT, *graded.option) == 0
    return feedback(course, graded)


def handed_in(graded: Graded, name: str) -> Path:
    """Return a copy of the course in which the student has handed in the released notebook."""
    course = graded.folder / name
    shutil.copytree(graded.course, course)
    shutil.copytree(course / "release" / ASSIGNMENT, course / "submitted" / graded.grade.student / ASSIGNMENT)
    return course


def started(course: Path, program: Any) -> None:
    """Run one of nbgrader's programs."""
    with contextlib.chdir(course):
        one = program()
        one.initialize([ASSIGNMENT, "--force", "--log-level=ERROR"])
        one.start()


def feedback(course: Path, graded: Graded) -> str:
    """Return the text of nbgrader's page for the student. Colours split an id into several elements."""
    from nbgrader.apps import GenerateFeedbackApp

    started(course, GenerateFeedbackApp)
    page = (course / "feedback" / graded.grade.student / ASSIGNMENT / f"{ASSIGNMENT}.html").read_text()
    return html.unescape(re.sub(r"<[^>]*>", "", page))


def _json(data: bytes | str) -> str:
    return "\n".join(_texts(json.loads(data)))


def _texts(value: Any) -> Iterator[str]:
    """Yield every text in JSON."""
    if isinstance(value, dict | list):
        for one in value.values() if isinstance(value, dict) else value:
            yield from _texts(one)
    else:
        yield str(value)


VIEWS: dict[str, Callable[[Graded], str]] = {
    "gradescope": gradescope,
    "canvas": canvas,
    "moodle": moodle,
    "feedback page": feedback_page,
    "feedback text": feedback_text,
    "otter autograde": otter_autograde,
    "otter run": otter_run,
    "nbgrader autograde": nbgrader_autograde,
    "nbgrader grade": nbgrader_grade,
}
