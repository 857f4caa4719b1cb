"""The cells of a student's notebook that check it: one that sets up, and one after each cell with parts.

Grading skips them by their tag. The magic sees no tags: it skips the cells that begin with MARK.
"""

from __future__ import annotations

from collections.abc import Iterable

MARK = "# attngrade-skip: not part of your work"

# ``attngrade new`` writes the course's address between the quotes: see ``integrations.edition``.
SETUP = """\
# Run this cell first. It sets up the cells with %attngrade, which check your work.
import importlib.util
from importlib.metadata import version

ADDRESS = ""  # of attngrade: your course gives it to you
if ADDRESS and not importlib.util.find_spec("autograder"):
    TORCH = "torch==" + version("torch")  # the installed one stays
    %pip install --quiet "{ADDRESS}" "{TORCH}"
    importlib.invalidate_caches()
if importlib.util.find_spec("autograder"):
    %load_ext autograder.integrations.jupyter
    %attngrade use ASSIGNMENT
else:
    print("attngrade is not installed here. Your course gives you its address: write it between the quotes above.")"""


def setup(assignment: str) -> str:
    """Return the first code cell: it installs attngrade where it is missing, and leaves the installed torch alone."""
    return SETUP.replace("ASSIGNMENT", assignment)


def checks(parts: Iterable[str]) -> str:
    """Return the cell that checks some parts, a line each."""
    return "\n".join(f"%attngrade {part}" for part in parts)
