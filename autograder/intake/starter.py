"""Whether a file holds work for an assignment: more than the starter file, and a name of the assignment."""

from __future__ import annotations

import ast
import re
import warnings
from collections.abc import Iterable, Sequence
from functools import cache
from pathlib import Path

from autograder import assignments
from autograder.intake.names import SOURCES, exact_names, suffix_of
from autograder.intake.notebook import code_cells
from autograder.model import tokens

LONGEST = 200_000  # bytes of a file that may be a starter file: the longest one has a tenth of that


def cells_of(name: str, raw: bytes, assignment: str) -> tuple[bytes, ...]:
    """Return the code of a file in cells. Raises ``Unreadable`` for a notebook that is none."""
    return code_cells(raw, names_of(assignment)) if SOURCES.get(suffix_of(name)) == "notebook" else (raw,)


@cache
def names_of(assignment: str) -> frozenset[str]:
    """Return the functions and classes that a student writes."""
    return frozenset(assignments.load(assignment, hidden=False).parts)


def defines(cells: Iterable[bytes], assignment: str) -> bool:
    """Return whether a cell defines one of the assignment's names. Broken code is searched too."""
    pattern = _definition(assignment)
    return any(pattern.search(cell) for cell in cells)


@cache
def _definition(assignment: str) -> re.Pattern[bytes]:
    names = "|".join(map(re.escape, sorted(names_of(assignment))))
    return re.compile(rf"^(?:def|class)[ \t]+(?:{names})\b".encode(), re.MULTILINE)


def is_starter(cells: Sequence[bytes], assignment: str) -> bool:
    """Return whether nobody has worked in a file: its statements are those of a starter file, or there are none."""
    statements = _statements(cells)
    return statements is not None and (statements == "" or statements in _starters(assignment))


@cache
def _starters(assignment: str) -> frozenset[str]:
    """Return the statements of the shipped script and notebook."""
    folder = assignments.released(assignment) or Path()
    files = [folder / name for name in exact_names(assignment)]
    found = (_statements(cells_of(file.name, file.read_bytes(), assignment)) for file in files if file.is_file())
    return frozenset(filter(None, found))


def _statements(cells: Sequence[bytes]) -> str | None:
    """Return the syntax trees of all statements; None for code that cannot be parsed.

    Comments and layout are left out, and so is the student's token, which the course has put there.
    """
    if sum(map(len, cells)) > LONGEST:
        return None
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        try:
            body = [statement for cell in cells for statement in ast.parse(cell).body]
            return "\n".join(ast.dump(statement) for statement in body if not tokens.is_own(statement))
        except (SyntaxError, ValueError, RecursionError, MemoryError):
            return None
