"""Builds ``assignments/`` from ``solutions/``, or lists the files that differ."""

from pathlib import Path

from autograder.assignments import NAMES
from autograder.instructor.release.handout import handout, points_table
from autograder.instructor.release.render import notebook, pytest_file, skeleton
from autograder.instructor.release.source import cells, read_script, stubbed


def artefacts(assignment: str, root: Path) -> dict[str, str]:
    """Return the files of a released assignment: path below the root -> text."""
    parts = cells(stubbed(read_script(root, assignment)))
    folder = f"assignments/{assignment}"
    return {
        f"{folder}/README.md": handout(assignment, root, points_table(assignment)),
        f"{folder}/{assignment}.py": skeleton(assignment, parts),
        f"{folder}/{assignment}.ipynb": notebook(assignment, parts),
        f"{folder}/test_{assignment}.py": pytest_file(assignment),
    }


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
    return notebook(assignment, cells(read_script(root, assignment)))
