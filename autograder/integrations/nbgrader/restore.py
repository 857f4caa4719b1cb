"""A student's notebook as it should be: every cell that nbgrader knows has the gradebook's text, place and data.

Of what was handed in only text is taken over, pasted pictures, and which cell claims to be which. The formgrader shows
the HTML of a Markdown cell as it is, to somebody who may change grades: so none is left that can do anything.
"""

from __future__ import annotations

import hashlib
import html
import re
from collections.abc import Mapping, Sequence
from typing import Any

from autograder.intake.pieces import Piece
from autograder.integrations.nbgrader.cells import Source, shown
from autograder.integrations.nbgrader.verdicts import Verdict

SCHEMA = 3  # of nbgrader's cell metadata
KERNEL = {"display_name": "Python 3", "language": "python", "name": "python3"}
PLAIN_TAGS = (
    "b|i|u|s|em|strong|sub|sup|br|hr|code|pre|p|ul|ol|li|table|thead|tbody|tr|td|th|h[1-6]|blockquote"
)
Cell = dict[str, Any]

# A space makes each of these plain text, in code and mathematics too: where a tag begins, ...
_TAG = re.compile(r"<(?=[A-Za-z/!?])")
# ... how a letter of a link's scheme, or its colon, may be spelled, and what browsers overlook between them, ...
# (an ampersand is one, too: nbconvert reads entities twice)
_ENTITY = re.compile(r"&(?:#[xX]?[0-9A-Fa-f]+;?|(?:amp|AMP);?|[A-Za-z][A-Za-z0-9]*;)(?=([#A-Za-z]?))")
_PART_OF_A_SCHEME = re.compile(r"[A-Za-z:\x00-\x20]|&[#A-Za-z]")
# ... and schemes whose links run. nbconvert lets them through.
_SCHEME = re.compile(r"(javascript|vbscript|data(?!:(?:\s|image/(?:png|jpeg|gif);)))(?=\\*:)", re.IGNORECASE)
# nbconvert gives a notebook up that shows a picture which is not there.
_PICTURE = re.compile(r"!\[[^\[\]\n]*\]\(attachment:([A-Za-z0-9_.-]+)\)|attachment(?=\\*:)")
_HARMLESS = re.compile(rf"</?(?:{PLAIN_TAGS})[ ]?/?>|<https?://[^<>\s\"'`]+>", re.IGNORECASE)


def restored(handed_in: Sequence[Piece], sources: Sequence[Source], kernel: Mapping[str, Any] | None) -> Cell:
    """A notebook (nbformat 4.5): the student's cells, those that are locked with their own text again, and those
    that are missing put back behind the one that they followed. ``sources`` are in the order of the release.

    Of several cells with one name the last keeps it, as nbgrader has it. A solution that was deleted stays so:
    what it held may lie in any other cell.
    """
    known = {source.name: source for source in sources}
    last = {piece.name: place for place, piece in enumerate(handed_in) if piece.name in known}
    cells: list[tuple[str, Cell]] = []
    for place, piece in enumerate(handed_in):
        source = known[piece.name] if last.get(piece.name) == place else None
        if source is None or (source.locked and not _same(piece, source)):
            cells.append(("", _plain(piece)))  # what a student wrote is shown, whatever it was written over
        if source is not None:
            cells.append((source.name, _cell(source, piece)))
    _put_back(cells, sources, last)
    numbered = [cell | {"id": _id(place, name)} for place, (name, cell) in enumerate(cells)]
    metadata = {"kernelspec": dict(kernel or KERNEL), "language_info": {"name": "python"}}
    return {"cells": numbered, "metadata": metadata, "nbformat": 4, "nbformat_minor": 5}


def _put_back(cells: list[tuple[str, Cell]], sources: Sequence[Source], there: Mapping[str, int]) -> None:
    before = ""
    for source in sources:
        if source.name not in there and (source.locked or source.graded or source.task):
            names = [name for name, _ in cells]
            place = names.index(before) + 1 if before in names and before else 0
            cells.insert(place, (source.name, _cell(source)))
        if source.name in (name for name, _ in cells):
            before = source.name


def _same(piece: Piece, source: Source) -> bool:
    """Whether a locked cell is as it was released; hidden tests are not in what students get."""
    return piece.text.strip() in (source.text.strip(), shown(source.text).strip())


def harmless(text: str) -> str:
    """Markdown in which only tags without attributes are left, and links that lead somewhere; others can be read, and
    do nothing."""
    text = _TAG.sub(lambda found: "<" if _HARMLESS.match(text, found.start()) else "< ", text)
    text = _ENTITY.sub(lambda found: _unspelled(found[0], found[1]), text)
    return _SCHEME.sub(r"\1 ", text)


def _unspelled(entity: str, following: str) -> str:
    spelled = _PART_OF_A_SCHEME.match(html.unescape(entity) + following)
    return "& " + entity[1:] if spelled else entity


def _pictured(cell: Cell, attachments: Mapping[str, Any]) -> Cell:
    """A Markdown cell with its pictures; those that are not there are not asked for."""

    def there(found: re.Match[str]) -> str:
        known = found[1] in attachments
        return found[0] if known else re.sub(r"attachment(?=:|\Z)", "attachment ", found[0])

    cell["source"] = _PICTURE.sub(there, cell["source"])
    return cell | ({"attachments": dict(attachments)} if attachments else {})


def _plain(piece: Piece) -> Cell:
    """A cell that is the student's own. A raw one, which is put into a page unread, becomes one of text."""
    if piece.kind == "code":
        return _of("code", piece.text, {})
    return _pictured(_of("markdown", harmless(piece.text), {}), piece.attachments)


def _cell(source: Source, piece: Piece | None = None) -> Cell:
    """A cell that nbgrader knows: a locked one, or one that is not there, with the gradebook's text."""
    theirs = piece is not None and not source.locked
    text = piece.text if piece is not None and theirs else source.text
    if source.kind != "code" and text != source.text:  # an answer; as it was released it is the course's own
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
    return _pictured(cell, piece.attachments if piece is not None else {})  # the gradebook keeps none


def _of(kind: str, text: str, metadata: dict[str, Any]) -> Cell:
    cell: Cell = {"cell_type": kind, "metadata": metadata, "source": text}
    return cell | ({"execution_count": None, "outputs": []} if kind == "code" else {})


def _id(place: int, name: str) -> str:
    """An id that nbformat takes, the same whenever the same notebook is read."""
    return hashlib.sha256(f"{place} {name}".encode()).hexdigest()[:12]


def filled(notebook: Cell, verdicts: Sequence[Verdict]) -> None:
    """Puts what is said of the test cells into their outputs, with the number that nbgrader takes for partial
    credit."""
    by_name = {verdict.name: verdict for verdict in verdicts}
    for cell in notebook["cells"]:
        verdict = by_name.get(cell["metadata"].get("nbgrader", {}).get("grade_id"))
        if verdict is not None:
            cell["outputs"] = _outputs(verdict)


def _outputs(verdict: Verdict) -> list[Cell]:
    told: Cell = {"name": "stdout", "output_type": "stream", "text": verdict.text}
    if verdict.score is None:
        return [told]
    number = {"text/plain": f"{verdict.score:.10g}"}
    return [told, {"data": number, "execution_count": None, "metadata": {}, "output_type": "execute_result"}]
