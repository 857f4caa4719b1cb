"""Reads a solution script: its cells, and the regions that students fill in."""

from collections.abc import Iterator
from pathlib import Path
from typing import Literal, NamedTuple

BEGIN = "### BEGIN SOLUTION"  # nbgrader's markers; students see the text after the colon
END = "### END SOLUTION"


class ScriptCell(NamedTuple):
    """A cell of the percent script. The source of a Markdown cell has no comment signs."""

    kind: Literal["code", "markdown"]
    source: str


class ScriptLine(NamedTuple):
    """A line of a solution script and its role: given to students, inside a region, or a marker."""

    text: str
    role: Literal["given", "begin", "solution", "end"]


class SourceError(ValueError):
    """A solution script with invalid regions. The message names the line."""


def read_script(root: Path, assignment: str) -> str:
    """Return the text of the solution."""
    return (root / "solutions" / assignment / f"{assignment}.py").read_text(encoding="utf-8")


def cells(script: str) -> list[ScriptCell]:
    """Return the cells of a percent script, in order."""
    import jupytext

    notebook = jupytext.reads(script, fmt="py:percent")
    return [
        ScriptCell("markdown" if cell.cell_type == "markdown" else "code", cell.source)
        for cell in notebook.cells
        if cell.source.strip()
    ]


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
