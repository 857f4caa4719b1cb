"""Turns cells into the students' files: a skeleton, a notebook, a test file."""

import json
from collections.abc import Sequence
from string import Template
from typing import Any

from autograder.instructor.release.solution_script import ScriptCell
from autograder.instructor.release.stubs import SourceError

HEADER = """\
{title}
#
# Fill in every place marked "Your code here". The README beside this file explains each task.
# {assignment}.ipynb is the same assignment as a notebook. Hand in the script or the notebook, not both.
# To check your work: attngrade check {assignment}.py"""

TESTS = Template('''\
"""The public checks of this assignment, one test each: run ``pytest`` in this folder."""

import pathlib

import pytest
from autograder.integrations.pytest_checks import public_checks, run_public_check

ASSIGNMENT = "$assignment"
HERE = pathlib.Path(__file__).parent


@pytest.mark.parametrize("check_id", public_checks(ASSIGNMENT))
def test_public_check(check_id, request):
    run_public_check(HERE, ASSIGNMENT, check_id, request.node)
''')

METADATA: dict[str, Any] = {
    "kernelspec": {"display_name": "Python 3", "language": "python", "name": "python3"},
    "language_info": {"name": "python"},
}


def skeleton(assignment: str, parts: Sequence[ScriptCell]) -> str:
    """Return a script of the code cells, with the headings of Markdown cells as comments.

    The first two cells are the title and the imports. Raises SourceError if they are not.
    """
    if [cell.kind for cell in parts[:2]] != ["markdown", "code"] or not parts[0].source.startswith("# "):
        raise SourceError(1, "the first cell is the title (# %% [markdown] and # # Title), the second one the imports")
    blocks: list[str] = []
    for cell in parts:
        if cell.kind == "code":
            blocks.append(cell.source.strip("\n"))
            continue
        heading = cell.source.splitlines()[0]
        if heading.startswith("# "):
            blocks.append(HEADER.format(title=heading, assignment=assignment))
        else:
            blocks.append(f"# ---- {heading.lstrip('#').strip()}")
    title, imports, *rest = blocks
    return f"{title}\n\n{imports}\n\n" + "\n\n\n".join(rest) + "\n"


def notebook_cell(kind: str, source: str, metadata: dict[str, Any] | None = None) -> dict[str, Any]:
    """Return a cell of nbformat 4.5, without an id."""
    made = {"cell_type": kind, "metadata": metadata or {}, "source": source.splitlines(keepends=True)}
    return made | ({"execution_count": None, "outputs": []} if kind == "code" else {})


def notebook_text(assignment: str, cells: Sequence[dict[str, Any]]) -> str:
    """Return a notebook as JSON. Cell ids are numbers in sequence, so every build gives the same bytes."""
    numbered = [cell | {"id": f"{assignment}-{number:02d}"} for number, cell in enumerate(cells)]
    book = {"cells": numbered, "metadata": METADATA, "nbformat": 4, "nbformat_minor": 5}
    return json.dumps(book, indent=1, ensure_ascii=False, sort_keys=True) + "\n"


def pytest_file(assignment: str) -> str:
    """Return a pytest file with one item for each public check."""
    return TESTS.substitute(assignment=assignment)
