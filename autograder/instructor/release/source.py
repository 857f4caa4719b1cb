"""Reads a solution script: its cells, and the regions that students fill in."""

import textwrap
from collections.abc import Iterator
from pathlib import Path
from typing import Any, Literal, NamedTuple

from autograder.assignments.places import place

BEGIN = "### BEGIN SOLUTION"  # nbgrader's markers; students see the text after the colon
END = "### END SOLUTION"


EXTRA = "notebook"  # the tag of cells that only the notebook gets: to predict, to try, to look at
GUARD = 'if __name__ == "__main__":'  # keeps code of such cells from running when the script is imported


class ScriptCell(NamedTuple):
    """A cell of the percent script. The source of a Markdown cell has no comment signs.

    ``extra``: grading skips it, and only the notebook has it.
    """

    kind: Literal["code", "markdown"]
    source: str
    extra: bool = False


class ScriptLine(NamedTuple):
    """A line of a solution script and its role: given to students, inside a region, or a marker."""

    text: str
    role: Literal["given", "begin", "solution", "end"]


class SourceError(ValueError):
    """A solution script with invalid regions. The message names the line."""


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


def lines(script: str) -> Iterator[ScriptLine]:
    """Yield every line with its role. Raises SourceError for unbalanced markers."""
    inside = False
    number = 0
    for number, text in enumerate(script.splitlines(), start=1):
        if BEGIN in text or END in text:
            if (BEGIN in text) == inside:
                raise SourceError(f"line {number}: this marker opens or closes a solution region a second time")
            inside = not inside
            yield ScriptLine(text, "begin" if inside else "end")
        else:
            yield ScriptLine(text, "solution" if inside else "given")
    if inside:
        raise SourceError(f"line {number}: the last solution region is not closed")


def stubbed(script: str) -> str:
    """Return the script with its task and ``raise NotImplementedError`` in place of each solution region."""
    kept: list[str] = []
    for line in lines(script):
        if line.role == "given":
            kept.append(line.text)
        elif line.role == "begin":
            indent = line.text[: len(line.text) - len(line.text.lstrip())]
            task = line.text.strip().removeprefix(BEGIN).lstrip(":").strip()
            if not indent or not task:
                raise SourceError(f"a region needs a function around it and a task: {line.text.strip()!r}")
            kept += [f"{indent}# Your code here: {task}.", f"{indent}raise NotImplementedError"]
    return "\n".join(kept) + "\n"
