"""Rebuilds a submitted notebook: every cell that nbgrader knows gets the text, place and data of the gradebook.

Only the text, pasted pictures and cell names of a submission are used, and its Markdown is made safe to show.
"""

import hashlib
import re
from collections.abc import Mapping, Sequence
from typing import Any

from autograder.feedback import weights
from autograder.intake.notebook_cells import NotebookCell
from autograder.integrations.nbgrader.cell_scores import CellScore
from autograder.integrations.nbgrader.cells import ReleasedCell, student_text
from autograder.integrations.nbgrader.safe_markdown import harmless

SCHEMA = 3  # of nbgrader's cell metadata
KERNEL = {"display_name": "Python 3", "language": "python", "name": "python3"}
Cell = dict[str, Any]

# A picture of the notebook. nbconvert fails if it is missing:
_PICTURE = re.compile(r"!\[[^\[\]\n]*\]\(attachment:([A-Za-z0-9_.-]+)\)|attachment(?=\\*:)")


def restored(
    handed_in: Sequence[NotebookCell], sources: Sequence[ReleasedCell], kernel: Mapping[str, Any] | None
) -> Cell:
    """Return the student's notebook (nbformat 4.5) with locked cells reset and missing cells put back.

    ``sources`` are in the order of the release; a missing cell follows its predecessor there. If several cells have
    the same name, the last one keeps it, as in nbgrader. A deleted solution cell stays deleted, since its code may be
    in any other cell.
    """
    known = {source.name: source for source in sources}
    last = {piece.name: place for place, piece in enumerate(handed_in) if piece.name in known}
    cells: list[tuple[str, Cell]] = []
    for place, piece in enumerate(handed_in):
        source = known[piece.name] if last.get(piece.name) == place else None
        if source is None or (source.locked and not _same(piece, source)):
            cells.append(("", _plain(piece)))  # shows text that a student wrote into a locked cell
        if source is not None:
            cells.append((source.name, _cell(source, piece)))
    _put_back(cells, sources, last)
    numbered = [cell | {"id": _id(place, name)} for place, (name, cell) in enumerate(cells)]
    metadata = {"kernelspec": dict(kernel or KERNEL), "language_info": {"name": "python"}}
    return {"cells": numbered, "metadata": metadata, "nbformat": 4, "nbformat_minor": 5}


def _put_back(cells: list[tuple[str, Cell]], sources: Sequence[ReleasedCell], present: Mapping[str, int]) -> None:
    """Insert the missing cells that students may not delete."""
    before = ""
    for source in sources:
        if source.name not in present and (source.locked or source.graded or source.task):
            names = [name for name, _ in cells]
            place = names.index(before) + 1 if before in names and before else 0
            cells.insert(place, (source.name, _cell(source)))
        if source.name in (name for name, _ in cells):
            before = source.name


def _same(piece: NotebookCell, source: ReleasedCell) -> bool:
    """Whether a locked cell is unchanged; students get it without hidden tests."""
    return piece.text.strip() in (source.text.strip(), student_text(source.text).strip())


def _pictured(cell: Cell, attachments: Mapping[str, Any]) -> Cell:
    """Return a Markdown cell with its pictures, and without references to missing ones."""

    def checked(match: re.Match[str]) -> str:
        return match[0] if match[1] in attachments else re.sub(r"attachment(?=:|\Z)", "attachment ", match[0])

    cell["source"] = _PICTURE.sub(checked, cell["source"])
    return cell | ({"attachments": dict(attachments)} if attachments else {})


def _plain(piece: NotebookCell) -> Cell:
    """Return a cell of the student's own. A raw cell becomes Markdown, since pages include raw cells unchanged."""
    if piece.kind == "code":
        return _of("code", piece.text, {})
    return _pictured(_of("markdown", harmless(piece.text), {}), piece.attachments)


def _cell(source: ReleasedCell, piece: NotebookCell | None = None) -> Cell:
    """Return a cell that nbgrader knows. A locked or missing one has the gradebook's text."""
    text = source.text if piece is None or source.locked else piece.text
    if source.kind != "code" and text != source.text:  # a student's answer; the released text is the course's own
        text = harmless(text)
    ours = {
        "cell_type": source.kind,
        "checksum": source.checksum,
        "grade": source.graded,
        "grade_id": source.name,
        "locked": source.locked,
        "points": source.points,
        "schema_version": SCHEMA,
        "solution": source.solution,
        "task": source.task,
    }
    if not (source.graded or source.task):
        del ours["points"]
    metadata: dict[str, Any] = {"deletable": False, "nbgrader": ours}
    if source.locked:
        metadata["editable"] = False
    cell = _of(source.kind, text, metadata)
    if source.kind != "markdown":
        return cell
    return _pictured(cell, piece.attachments if piece is not None else {})  # the gradebook stores no pictures


def _of(kind: str, text: str, metadata: dict[str, Any]) -> Cell:
    """Return a cell of nbformat."""
    cell: Cell = {"cell_type": kind, "metadata": metadata, "source": text}
    return cell | ({"execution_count": None, "outputs": []} if kind == "code" else {})


def _id(place: int, name: str) -> str:
    """Return a cell id that nbformat accepts, the same for the same notebook."""
    return hashlib.sha256(f"{place} {name}".encode()).hexdigest()[:12]


def fill_outputs(notebook: Cell, scores: Sequence[CellScore], hidden_titles: bool) -> None:
    """Write the texts of test cells into their outputs, with the number that nbgrader reads as partial credit.

    nbgrader's feedback shows a student the cells too, so without ``hidden_titles`` they keep no ids of hidden checks.
    """
    by_name = {score.name: score for score in scores}
    for cell in notebook["cells"]:
        score = by_name.get(cell["metadata"].get("nbgrader", {}).get("grade_id"))
        if score is not None:
            cell["outputs"] = _outputs(score)
            if score.score is not None and not hidden_titles:
                cell["source"] = student_text(cell["source"])


def _outputs(score: CellScore) -> list[Cell]:
    text: Cell = {"name": "stdout", "output_type": "stream", "text": score.text}
    if score.score is None:
        return [text]
    number = {"text/plain": f"{score.score:.10g}"}
    drawn: list[Cell] = [
        {
            "output_type": "display_data",
            "metadata": {},
            "data": {"text/html": weights.table(picture), "text/plain": weights.words(picture)},
        }
        for picture in score.pictures
    ]
    return [text, *drawn, {"data": number, "execution_count": None, "metadata": {}, "output_type": "execute_result"}]
