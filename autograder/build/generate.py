"""Builds ``assignments/`` from ``solutions/``, or says what is out of step."""

from __future__ import annotations

from pathlib import Path

from autograder.build.handout import handout, points_table
from autograder.build.render import notebook, pytest_file, skeleton
from autograder.build.source import cells, read_script, stubbed
from autograder.model import TOPICS


def artefacts(topic: str, root: Path) -> dict[str, str]:
    """Every file of a released assignment: its path from the root, and its text."""
    parts = cells(stubbed(read_script(root, topic)))
    folder = f"assignments/{topic}"
    return {
        f"{folder}/README.md": handout(topic, root, points_table(topic)),
        f"{folder}/{topic}.py": skeleton(topic, parts),
        f"{folder}/{topic}.ipynb": notebook(topic, parts),
        f"{folder}/test_{topic}.py": pytest_file(topic),
    }


def build(topic: str, root: Path, check: bool = False) -> list[str]:
    """Bring one assignment in step with its source; returns the files that were not.

    With ``check`` nothing is written.
    """
    out_of_step = []
    for name, text in artefacts(topic, root).items():
        path, content = root / name, text.encode("utf-8")
        if path.is_file() and path.read_bytes() == content:
            continue
        out_of_step.append(name)
        if not check:
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_bytes(content)
    return out_of_step


def build_all(root: Path, check: bool = False) -> list[str]:
    """``build`` for all five assignments."""
    return [name for topic in TOPICS for name in build(topic, root, check)]


def solution_notebook(topic: str, root: Path) -> str:
    """The model submission as a notebook, solved."""
    return notebook(topic, cells(read_script(root, topic)))
