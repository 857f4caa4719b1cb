"""Builds ``assignments/`` from ``solutions/``, or lists the files that differ."""

from pathlib import Path

from autograder.assignments import NAMES
from autograder.instructor.release import experiment
from autograder.instructor.release.figure import read_figure, svg
from autograder.instructor.release.handout import handout, points_table, tutor
from autograder.instructor.release.notebook import notebook
from autograder.instructor.release.render import pytest_file, skeleton
from autograder.instructor.release.source import cells, read_script, stubbed


def artefacts(assignment: str, root: Path) -> dict[str, str]:
    """Return the files of a released assignment: path below the root -> text."""
    script = stubbed(read_script(root, assignment))
    files = {
        "README.md": handout(assignment, root, points_table(assignment)),
        "AGENTS.md": tutor(assignment),
        f"{assignment}.py": skeleton(assignment, cells(script)),
        f"{assignment}.ipynb": notebook(assignment, root, cells(script, extras=True)),
        f"test_{assignment}.py": pytest_file(assignment),
    }
    if text := experiment.script(assignment, root):
        files[experiment.NAME] = text
    if (drawing := root / "solutions" / assignment / "figure.toml").is_file():
        files["figure.svg"] = svg(read_figure(drawing))
    return {f"assignments/{assignment}/{name}": text for name, text in files.items()}


def build(assignment: str, root: Path, check: bool = False) -> list[str]:
    """Update one assignment and return the files that changed. With ``check``, write nothing."""
    changed = []
    for name, text in artefacts(assignment, root).items():
        path, content = root / name, text.encode("utf-8")
        if path.is_file() and path.read_bytes() == content:
            continue
        changed.append(name)
        if not check:
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_bytes(content)
    return changed


def build_all(root: Path, check: bool = False) -> list[str]:
    """Run ``build`` for all assignments."""
    return [name for assignment in NAMES for name in build(assignment, root, check)]


def solution_notebook(assignment: str, root: Path) -> str:
    """Return the solution as a notebook."""
    return notebook(assignment, root, cells(read_script(root, assignment), extras=True))
