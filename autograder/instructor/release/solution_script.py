"""Reads a solution script, its cells, and what they define."""

import ast
import textwrap
from pathlib import Path
from typing import Any, Literal, NamedTuple

from autograder.assignments.places import place

EXTRA = "notebook"  # the tag of cells that only the notebook gets: to predict, to try, to look at
GUARD = 'if __name__ == "__main__":'  # keeps code of such cells from running when the script is imported


Definitions = dict[str, ast.FunctionDef | ast.ClassDef]


class ScriptCell(NamedTuple):
    """A cell of the percent script. The source of a Markdown cell has no comment signs.

    ``extra``: grading skips it, and only the notebook has it.
    """

    kind: Literal["code", "markdown"]
    source: str
    extra: bool = False


def read_script(root: Path, assignment: str) -> str:
    """Return the text of the solution."""
    return place(assignment, root).solution.read_text(encoding="utf-8")


def cells(script: str, extras: bool = False) -> list[ScriptCell]:
    """Return the cells of a percent script, in order; with ``extras`` also those that only the notebook gets."""
    found = []
    for cell in percent_cells(script):
        extra = EXTRA in cell.metadata.get("tags", ())
        if cell.source.strip() and (extras or not extra):
            kind: Literal["code", "markdown"] = "markdown" if cell.cell_type == "markdown" else "code"
            found.append(ScriptCell(kind, unguarded(cell.source) if extra else cell.source, extra))
    return found


def percent_cells(script: str) -> list[Any]:
    """Return the cells of a percent script as jupytext reads them."""
    import jupytext

    return list(jupytext.reads(script, fmt="py:percent").cells)


def unguarded(code: str) -> str:
    """Return the code of a cell without its ``if __name__ == "__main__":``, which a notebook does not need."""
    first, _, rest = code.partition("\n")
    return textwrap.dedent(rest) if first == GUARD else code


def definitions(code: str) -> Definitions:
    """Return the functions and classes at the top level, by name, in order. Raises SyntaxError."""
    return {node.name: node for node in ast.parse(code).body if isinstance(node, ast.FunctionDef | ast.ClassDef)}
