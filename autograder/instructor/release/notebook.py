"""Puts a student's notebook together: the cells of the script, and around them what grading skips."""

from __future__ import annotations

import base64
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path
from typing import Any

from autograder import assignments
from autograder.assignments.hints import STEPS, Hint, of_part, step
from autograder.assignments.places import place
from autograder.instructor.release import check_cells, experiment
from autograder.instructor.release.figure import figure_in, svg
from autograder.instructor.release.render import notebook_cell, notebook_text
from autograder.instructor.release.solution_script import ScriptCell, cells, definitions
from autograder.intake.notebook import SKIP_TAG

Cell = dict[str, Any]
STEP_NAMES = ("a question", "where to read", "a smaller case")


def notebook(assignment: str, root: Path, parts: Sequence[ScriptCell]) -> str:
    """Return the notebook: the script's cells, its figure, checks and hints after each part, the experiment at the end.

    The first code cell sets up the checks.
    """
    made: list[Cell] = []
    first = next((number for number, part in enumerate(parts) if part.kind == "code"), None)
    for number, part in enumerate(parts):
        if number == first:
            made.append(skipped("code", check_cells.setup(assignment)))
        cell = skipped(part.kind, part.source) if part.extra else notebook_cell(part.kind, part.source)
        made.append(with_figure(cell, assignment, root) if number == 0 else cell)
        if part.kind == "code" and not part.extra and (names := defined_parts(assignment, part.source)):
            made.append(tagged("code", check_cells.checks(names)))
            made += hints(assignment, names)
    return notebook_text(assignment, made + closing(assignment, root))


def own_checks(script: str) -> list[ScriptCell]:
    """Return the script's cells for a notebook that has checks of its own: without paragraphs about ours."""
    parts = cells(script, extras=True)
    return [part if part.kind == "code" else part._replace(source=_without_magic(part.source)) for part in parts]


def _without_magic(text: str) -> str:
    return "\n\n".join(one for one in text.split("\n\n") if "%attngrade" not in one)


def closing(assignment: str, root: Path) -> list[Cell]:
    """Return the cells at the end: what works with the student's own code."""
    return [skipped(kind, source) for kind, source in experiment.cells(assignment, root)]


def hints(assignment: str, parts: Iterable[str]) -> list[Cell]:
    """Return a cell with hints for each part that has any."""
    return [_hint(assignment, name) for name in parts if of_part(assignment, name)]


def skipped(kind: str, source: str) -> Cell:
    """Return a cell that grading skips, and the checks in the notebook too: they know code by its first line."""
    return tagged(kind, f"{check_cells.MARK}\n{source}" if kind == "code" else source)


def tagged(kind: str, source: str) -> Cell:
    """Return a cell that grading skips by its tag."""
    return notebook_cell(kind, source, {"tags": [SKIP_TAG]})


def defined_parts(assignment: str, code: str) -> list[str]:
    """Return the parts of an assignment that a cell defines."""
    names = assignments.load(assignment).parts
    return [name for name in definitions(code) if name in names]


def with_figure(cell: Cell, assignment: str, root: Path) -> Cell:
    """Return the first cell with the drawing below its text. The drawing lies in the notebook itself."""
    figure = figure_in(place(assignment, root).texts)
    if figure is None:
        return cell
    image = base64.b64encode(svg(figure).encode()).decode()
    lines = [*cell["source"], "\n", "\n", f"![{figure.alt}](attachment:figure.svg)"]
    return cell | {"source": lines, "attachments": {"figure.svg": {"image/svg+xml": image}}}


def _hint(assignment: str, part: str) -> Cell:
    """Return a cell with the hints for a part, each step closed until it is opened."""
    return skipped("markdown", "\n\n".join(_details(name, hint) for name, hint in of_part(assignment, part).items()))


def _details(name: str, hint: Hint) -> str:
    return "\n\n".join(_steps(name, hint))


def _steps(name: str, hint: Hint) -> Iterator[str]:
    for number in range(1, STEPS + 1):
        summary = f"Hint {number} for <code>{name}</code>: {STEP_NAMES[number - 1]}"
        yield f"<details><summary>{summary}</summary>\n\n{step(hint, number)}\n\n</details>"
