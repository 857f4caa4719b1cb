"""Reads a solution: its cells, and the regions that students fill themselves."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Literal, NamedTuple

BEGIN = "### BEGIN SOLUTION"  # nbgrader's markers; what follows the colon is told to students
END = "### END SOLUTION"


class Cell(NamedTuple):
    """One cell of the percent script; ``source`` has no comment signs if it is Markdown."""

    kind: Literal["code", "markdown"]
    source: str


class Line(NamedTuple):
    """One line of a solution script: given to students, inside a region, or a marker."""

    text: str
    role: Literal["given", "begin", "solution", "end"]


class SourceError(ValueError):
    """A solution script that cannot be split into what is given and what is to be done."""


def script_path(root: Path, topic: str) -> Path:
    """Where the one source of an assignment lies."""
    return root / "solutions" / topic / f"{topic}.py"


def read_script(root: Path, topic: str) -> str:
    """The text of the model submission."""
    return script_path(root, topic).read_text(encoding="utf-8")


def cells(script: str) -> list[Cell]:
    """The cells of a percent script, in order."""
    import jupytext

    notebook = jupytext.reads(script, fmt="py:percent")
    return [
        Cell("markdown" if cell.cell_type == "markdown" else "code", cell.source)
        for cell in notebook.cells
        if cell.source.strip()
    ]


def lines(script: str) -> Iterator[Line]:
    """Every line with its role; unbalanced markers are an error that names the line."""
    inside = False
    number = 0
    for number, text in enumerate(script.splitlines(), start=1):
        if BEGIN in text or END in text:
            if (BEGIN in text) == inside:
                raise SourceError(f"line {number}: a solution region is opened or closed twice")
            inside = not inside
            yield Line(text, "begin" if inside else "end")
        else:
            yield Line(text, "solution" if inside else "given")
    if inside:
        raise SourceError(f"line {number}: a solution region is never closed")


def stubbed(script: str) -> str:
    """The script with every solution region replaced by its task and ``raise NotImplementedError``."""
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
