"""Makes a course folder for nbgrader: its configuration, and a source notebook for each assignment."""

import os
import re
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from autograder import assignments
from autograder.assignments import places
from autograder.grading import suite
from autograder.instructor.release import generate, render
from autograder.instructor.release import notebook as released
from autograder.instructor.release.solution_script import ScriptCell, definitions, read_script
from autograder.instructor.release.stubs import BEGIN
from autograder.integrations.nbgrader import cells
from autograder.integrations.nbgrader.cells import CheckGroup
from autograder.integrations.nbgrader.restored_notebook import SCHEMA
from autograder.model.courses import COURSE_VARIABLE

CONFIG_NAME = "nbgrader_config.py"
OURS = "autograder.integrations.nbgrader.autograde"
LINES = f"""\
# This line replaces the solutions in the students' version. The comment above it describes the task.
c.ClearSolutions.code_stub = {{"python": "raise NotImplementedError"}}

# nbgrader autograde and the formgrader's button grade with attngrade. Student code runs in confined workers.
# Nothing in the gradebook or in the test cells comes from a submission.
c.Autograde.exporter_class = "{OURS}.SubmissionExporter"
c.Autograde.sanitize_preprocessors = []
c.Autograde.autograde_preprocessors = ["{OURS}.AttnGrade"]

# c.AttnGrade.timing = False       # do not grade speed; the other checks get its points
# c.AttnGrade.seed_file = "..."    # the course's secret seed; the default is that of attngrade grade
# c.AttnGrade.hidden_titles = True # show students the titles of hidden checks, not only numbers
# c.AttnGrade.limits = {{"submission_seconds": 60}}
"""
CONFIG = """\
# Configuration of nbgrader; see https://nbgrader.readthedocs.io/en/stable/configuration/config_options.html
import os

c = get_config()

c.CourseDirectory.course_id = {course!r}
c.CourseDirectory.root = os.path.dirname(os.path.abspath(__file__))
# c.CourseDirectory.db_url = "postgresql+psycopg://user@host/gradebook"    # default: gradebook.db next to this file

"""
FOLDER_LINE = """\
os.environ.setdefault("{variable}", {folders!r})  # holds the course's own assignments
"""


class CourseError(Exception):
    """The folder can't become a course, or can't be graded. The message says what to do."""


def init(course: Path, names: Sequence[str], root: Path, timing: bool, install: str) -> list[Path]:
    """Make a course folder, or add assignments to one, and return the files written.

    ``root`` is the checkout, and ``install`` says how students install attngrade. Existing files are never
    overwritten. Raises CourseError or OSError.
    """
    folder_line = _folder_line(names)
    files = {Path(CONFIG_NAME): config(course.resolve().name, folder_line)}
    if (path := course / CONFIG_NAME).exists():
        text = path.read_text(encoding="utf-8")
        if OURS not in text:
            raise CourseError(f"{path} was not made by attngrade; add these lines to it and try again:\n{LINES}")
        if folder_line and COURSE_VARIABLE not in text:
            raise CourseError(f"{path} names no folder with assignments; add this line and try again: {folder_line}")
        files = {}
    for assignment in names:
        folder = Path("source") / assignment
        if (course / folder).exists():
            raise CourseError(f"{course / folder} already exists; move it, or name only other assignments")
        files[folder / f"{assignment}.ipynb"] = notebook(assignment, root, timing, install)
        files |= {folder / name: text for name, text in generate.texts(assignment, root).items()}
    for name, text in files.items():
        (course / name).parent.mkdir(parents=True, exist_ok=True)
        (course / name).write_text(text, encoding="utf-8")
    return [course / name for name in files]


def _folder_line(names: Sequence[str]) -> str:
    """Return the line that tells nbgrader's programs where a course's own assignments lie; "" if there are none."""
    folders = os.environ.get(COURSE_VARIABLE, "")
    if not folders or not any(name in places.of_courses() for name in names):
        return ""
    return FOLDER_LINE.format(variable=COURSE_VARIABLE, folders=folders)


def config(course: str, folder_line: str = "") -> str:
    """Return the text of ``nbgrader_config.py``."""
    head = CONFIG.format(course=re.sub(r"[^\w.-]+", "-", course))
    return head + (f"{folder_line}\n" if folder_line else "") + LINES


def notebook(assignment: str, root: Path, timing: bool, install: str) -> str:
    """Return the source notebook (nbformat 4.5): solutions in nbgrader's markers, a test cell for each part."""
    checks = suite.checks(assignments.load(assignment, hidden=True), timing)
    left = {group.part: group for group in cells.groups(checks)}
    parts = released.own_checks(read_script(root, assignment))
    solved = [place for place, part in enumerate(parts) if BEGIN in part.source]
    made = []
    for place, part in enumerate(parts):
        cell = _part(part)
        made.append(released.with_figure(cell, assignment, root) if place == 0 else cell)
        if place == 0:
            made.append(_code(cells.setup_text(install), {"grade_id": "setup", "locked": True}))
        if place in solved:
            names = definitions(part.source)
            made += [_test(assignment, left.pop(name)) for name in list(left) if name in names]
            made += released.hints(assignment, names)
        if place == solved[-1]:
            made += [_test(assignment, left.pop(name)) for name in list(left)]
    return render.notebook_text(assignment, made + released.closing(assignment, root))


def _part(part: ScriptCell) -> dict[str, Any]:
    """Return a cell of the solution script. The task stands above nbgrader's marker, so nbgrader keeps it."""
    if part.extra:
        return released.skipped(part.kind, part.source)
    if part.kind == "markdown":
        return render.notebook_cell("markdown", part.source)
    if BEGIN not in part.source:
        return _code(part.source, {})
    lines = []
    for line in part.source.splitlines():
        indent = line[: len(line) - len(line.lstrip())]
        before, marker, task = line.partition(BEGIN)
        if marker:
            lines.append(f"{indent}# Your code here: {task.lstrip(':').strip()}.")
        lines.append(before + marker if marker else line)
    name = "-".join(definitions(part.source))
    return _code("\n".join(lines), {"grade_id": name, "solution": True})


def _test(assignment: str, group: CheckGroup) -> dict[str, Any]:
    points = round(group.points, 6)
    ours = {"grade": True, "grade_id": group.name, "locked": True, "points": points}
    return _code(cells.text_of(assignment, group), ours)


def _code(text: str, ours: dict[str, Any]) -> dict[str, Any]:
    """Return a code cell; ``ours`` is its nbgrader metadata, empty for cells that nbgrader ignores."""
    flags = {"grade": False, "locked": False, "solution": False, "task": False, "cell_type": "code"}
    metadata = {"nbgrader": flags | {"schema_version": SCHEMA} | ours} if ours else {}
    return render.notebook_cell("code", text, metadata)
