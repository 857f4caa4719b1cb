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
    """A solution script with invalid regions. The message names the line, and says what to do."""

    def __init__(self, line: int, text: str) -> None:
        super().__init__(f"line {line}: {text}")
        self.line, self.text = line, text


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
    begun = 0  # the line in which the region begins that is open
    for number, text in enumerate(script.splitlines(), start=1):
        if BEGIN in text or END in text:
            if BEGIN in text and begun:
                raise SourceError(begun, f"this hole is not closed before the next one in line {number}; add {END}")
            if END in text and not begun:
                raise SourceError(number, f"no hole is open here; write {BEGIN}: ... where it begins")
            begun = number if BEGIN in text else 0
            yield ScriptLine(text, "begin" if begun else "end")
        else:
            yield ScriptLine(text, "solution" if begun else "given")
    if begun:
        raise SourceError(begun, f"this hole is not closed; write {END} where it ends")


def stubbed(script: str) -> str:
    """Return the script with its task and ``raise NotImplementedError`` in place of each solution region."""
    kept: list[str] = []
    for number, line in enumerate(lines(script), start=1):
        if line.role == "given":
            kept.append(line.text)
        elif line.role == "begin":
            indent = line.text[: len(line.text) - len(line.text.lstrip())]
            task = line.text.strip().removeprefix(BEGIN).lstrip(":").strip()
            if not task:
                raise SourceError(number, f"this hole has no task; say what to write: {BEGIN}: return the sum")
            if not indent:
                raise SourceError(number, "a hole stands inside a function, and is indented as its code")
            kept += [f"{indent}# Your code here: {task}.", f"{indent}raise NotImplementedError"]
    return "\n".join(kept) + "\n"
