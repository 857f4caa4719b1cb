"""The released notebooks in a kernel: with the solution in them everything is green, with skeletons nothing is red."""

from __future__ import annotations

import re
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import pytest

from autograder import assignments
from autograder.instructor.release import solution_notebook
from autograder.intake.notebook import SKIP_TAG
from tests.corpus.suites import ONE_BY_DAY
from tests.paths import ROOT

pytestmark = [
    pytest.mark.thorough,
    pytest.mark.skipif(not find_spec("nbclient"), reason="nbclient is not installed: pip install -e '.[nbgrader]'"),
]
CHECK = re.compile(r"%attngrade (\w+)")


def executed(text: str, folder: Path) -> list[Any]:
    """Run all cells in a kernel, also after one that fails, and return the code cells."""
    import nbformat
    from nbclient import NotebookClient

    book = nbformat.reads(text, as_version=4)
    place = {"metadata": {"path": str(folder)}}
    NotebookClient(book, timeout=300, kernel_name="python3", allow_errors=True, resources=place).execute()
    return [cell for cell in book.cells if cell.cell_type == "code"]


def shown(cells: list[Any]) -> dict[str, tuple[str, str]]:
    """What each part's check shows, as HTML and as text. Their cells show nothing else."""
    found = {}
    for cell in cells:
        parts = CHECK.findall(cell.source) if cell.source.startswith("%") else []
        assert not parts or SKIP_TAG in cell.metadata.tags
        assert not parts or {output.output_type for output in cell.outputs} == {"display_data"}, cell.outputs
        for part, output in zip(parts, cell.outputs if parts else (), strict=True):
            found[part] = output.data["text/html"], output.data["text/plain"]
    return found


def drawn_parts(assignment: str) -> set[str]:
    """The parts that return weights."""
    from autograder.grading import pictures, suite

    public = suite.public(assignment)
    return {
        check.part
        for check in public.spec.checks
        for case in check.cases
        if list(pictures._calls(public.prepared[case.id].program))
    }


@pytest.mark.parametrize("assignment", ONE_BY_DAY)
def test_with_the_solution_all_checks_are_green_and_weights_are_drawn(assignment: str, tmp_path: Path) -> None:
    cells = executed(solution_notebook(assignment, ROOT), tmp_path)
    failed = [output for cell in cells for output in cell.outputs if output.output_type == "error"]
    assert not failed
    found = shown(cells)
    assert found.keys() == set(assignments.load(assignment).parts)
    for html, text in found.values():
        assert re.match(r"\w+: (\d+) of \1 checks passed\.", text), text
        assert "✗" not in html
    assert {part for part, (html, _) in found.items() if ">returned<" in html} == drawn_parts(assignment)


@pytest.mark.parametrize("assignment", ONE_BY_DAY)
def test_with_skeletons_each_check_names_the_next_step_and_no_traceback(assignment: str, tmp_path: Path) -> None:
    released = (ROOT / "assignments" / assignment / f"{assignment}.ipynb").read_text(encoding="utf-8")
    found = shown(executed(released, tmp_path))
    parts = assignments.load(assignment).parts
    assert found.keys() == set(parts)
    for part, (html, text) in found.items():
        next_step = re.match(r"Next to write: (\w+)", text)
        assert next_step, text
        assert next_step[1] in parts[: parts.index(part) + 1]  # itself, or what it stands on
        assert "`raise NotImplementedError` with your code." in html
        assert "<table" not in html
