"""A course folder for nbgrader: its configuration, and a source notebook for each assignment, from ``solutions/``."""

from __future__ import annotations

import ast
import json
import re
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from autograder import exam, specs
from autograder.build import handout, source
from autograder.integrations.nbgrader import cells
from autograder.integrations.nbgrader.cells import Group
from autograder.integrations.nbgrader.restore import KERNEL, SCHEMA

CONFIG_NAME = "nbgrader_config.py"
OURS = "autograder.integrations.nbgrader.autograde"
LINES = f"""\
# Students' solutions are replaced by this line; what is to be done stands above it.
c.ClearSolutions.code_stub = {{"python": "raise NotImplementedError"}}

# nbgrader autograde, and the formgrader's button, grade with attngrade: students' code runs in confined workers,
# and what is written into test cells and gradebook never comes from a submission.
c.Autograde.exporter_class = "{OURS}.SubmissionExporter"
c.Autograde.sanitize_preprocessors = []
c.Autograde.autograde_preprocessors = ["{OURS}.AttnGrade"]

# c.AttnGrade.timing = False       # do not grade speed; the other checks make up for its points
# c.AttnGrade.seed_file = "..."    # the course's secret seed; else as attngrade grade finds it
# c.AttnGrade.limits = {{"submission_seconds": 60}}
"""
CONFIG = """\
# nbgrader's configuration; see https://nbgrader.readthedocs.io/en/stable/configuration/config_options.html
import os

c = get_config()

c.CourseDirectory.course_id = {course!r}
c.CourseDirectory.root = os.path.dirname(os.path.abspath(__file__))
# c.CourseDirectory.db_url = "postgresql+psycopg://user@host/gradebook"    # else gradebook.db, beside this file

"""


class CourseError(Exception):
    """The folder can't be made into a course, or not without overwriting something."""


def init(course: Path, topics: Sequence[str], root: Path, timing: bool) -> list[Path]:
    """Makes the folder, or adds assignments to one that was made so; returns the files written. ``root``: of the
    checkout. Nothing that is there is overwritten. Raises CourseError, or OSError."""
    files = {Path(CONFIG_NAME): config(course.resolve().name)}
    if (course / CONFIG_NAME).exists():
        if OURS not in (course / CONFIG_NAME).read_text(encoding="utf-8"):
            raise CourseError(
                f"{course / CONFIG_NAME} is not ours; put these lines into it and try again:\n{LINES}"
            )
        files = {}
    for topic in topics:
        folder = Path("source") / topic
        if (course / folder).exists():
            raise CourseError(
                f"{course / folder} is there already; move it away, or leave {topic} out with --topic"
            )
        files[folder / f"{topic}.ipynb"] = notebook(topic, root, timing)
        files[folder / "README.md"] = handout.handout(topic, root, handout.points_table(topic))
    for name, text in files.items():
        (course / name).parent.mkdir(parents=True, exist_ok=True)
        (course / name).write_text(text, encoding="utf-8")
    return [course / name for name in files]


def config(course: str) -> str:
    """The text of ``nbgrader_config.py``."""
    return CONFIG.format(course=re.sub(r"[^\w.-]+", "-", course)) + LINES


def notebook(topic: str, root: Path, timing: bool) -> str:
    """The source notebook (nbformat 4.5): solutions in nbgrader's markers, a test cell for each part."""
    checks = exam.checks(specs.load(topic, hidden=True), timing)
    left = {group.section: group for group in cells.groups(checks)}
    parts = source.cells(source.read_script(root, topic))
    solved = [place for place, part in enumerate(parts) if source.BEGIN in part.source]
    made = []
    for place, part in enumerate(parts):
        made.append(_part(part))
        if place == 0:
            made.append(_locked("setup", cells.SETUP))
        if place in solved:
            made += [_test(topic, left.pop(name)) for name in list(left) if name in _names(part.source, True)]
        if place == solved[-1]:
            made += [_test(topic, left.pop(name)) for name in list(left)]
    numbered = [cell | {"id": f"{topic}-{number:02d}"} for number, cell in enumerate(made)]
    whole = {"cells": numbered, "metadata": {"kernelspec": KERNEL}, "nbformat": 4, "nbformat_minor": 5}
    return json.dumps(whole, indent=1, ensure_ascii=False, sort_keys=True) + "\n"


def _part(part: source.Cell) -> dict[str, Any]:
    """A cell of the solution script. What is to be done stands above nbgrader's marker, and so stays."""
    if part.kind == "markdown":
        return {"cell_type": "markdown", "metadata": {}, "source": part.source}
    if source.BEGIN not in part.source:
        return _code(part.source, {})
    lines = []
    for line in part.source.splitlines():
        indent = line[: len(line) - len(line.lstrip())]
        before, marker, task = line.partition(source.BEGIN)
        if marker:
            lines.append(f"{indent}# Your code here: {task.lstrip(':').strip()}.")
        lines.append(before + marker if marker else line)
    name = "-".join(_names(part.source, False))
    return _code("\n".join(lines), {"grade_id": name, "solution": True})


def _names(text: str, methods: bool) -> list[str]:
    """What a cell defines."""
    nodes = ast.parse(text).body
    inner = [node for one in nodes if isinstance(one, ast.ClassDef) for node in one.body] if methods else []
    return [node.name for node in (*nodes, *inner) if isinstance(node, ast.FunctionDef | ast.ClassDef)]


def _test(topic: str, group: Group) -> dict[str, Any]:
    points = round(group.points, 6)
    ours = {"grade": True, "grade_id": group.name, "locked": True, "points": points}
    return _code(cells.source(topic, group), ours)


def _locked(name: str, text: str) -> dict[str, Any]:
    return _code(text, {"grade_id": name, "locked": True})


def _code(text: str, ours: dict[str, Any]) -> dict[str, Any]:
    flags = {"grade": False, "locked": False, "solution": False, "task": False, "cell_type": "code"}
    data = {"nbgrader": flags | {"schema_version": SCHEMA} | ours} if ours else {}
    return {"cell_type": "code", "execution_count": None, "metadata": data, "outputs": [], "source": text}
