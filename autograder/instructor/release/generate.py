"""Builds ``assignments/`` from ``solutions/``, or lists the files that differ."""

from pathlib import Path

from autograder.assignments import NAMES
from autograder.assignments.places import own, place
from autograder.instructor.release import experiment
from autograder.instructor.release.figure import figure_in, svg
from autograder.instructor.release.handout import handout, points_table, tutor
from autograder.instructor.release.notebook import notebook
from autograder.instructor.release.render import pytest_file, skeleton
from autograder.instructor.release.solution_script import cells, read_script
from autograder.instructor.release.stubs import stubbed


def artefacts(assignment: str, root: Path) -> dict[Path, str]:
    """Return the files of a released assignment: path -> text."""
    script = stubbed(read_script(root, assignment))
    files = texts(assignment, root) | {
        f"{assignment}.py": skeleton(assignment, cells(script)),
        f"{assignment}.ipynb": notebook(assignment, root, cells(script, extras=True)),
        f"test_{assignment}.py": pytest_file(assignment),
    }
    if text := experiment.script(assignment, root):
        files[experiment.NAME] = text
    return {place(assignment, root).students / name: text for name, text in files.items()}


def texts(assignment: str, root: Path) -> dict[str, str]:
    """Return the files for reading, which lie beside the student's file in every edition: name -> text."""
    files = {"README.md": handout(assignment, root, points_table(assignment)), "AGENTS.md": tutor(assignment)}
    if (drawing := figure_in(place(assignment, root).texts)) is not None:
        files["figure.svg"] = svg(drawing)
    return files


def build(assignment: str, root: Path, check: bool = False) -> list[str]:
    """Update one assignment and return the names of the files that changed. With ``check``, write nothing."""
    changed = []
    for path, text in artefacts(assignment, root).items():
        content = text.encode("utf-8")
        if path.is_file() and path.read_bytes() == content:
            continue
        changed.append(path.relative_to(root).as_posix() if path.is_relative_to(root) else str(path))
        if not check:
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_bytes(content)
    return changed


def build_all(root: Path, check: bool = False) -> list[str]:
    """Run ``build`` for all assignments of the checkout."""
    return [name for assignment in sorted(own(), key=NAMES.index) for name in build(assignment, root, check)]


def solution_notebook(assignment: str, root: Path) -> str:
    """Return the solution as a notebook."""
    return notebook(assignment, root, cells(read_script(root, assignment), extras=True))
