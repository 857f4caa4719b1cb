"""Who submitted: from a folder in any layout to one entry a student, reading names only."""

from __future__ import annotations

import os
from collections import defaultdict
from collections.abc import Sequence
from pathlib import Path

from autograder.intake.claims import Claim, look
from autograder.intake.errors import IntakeError
from autograder.intake.files import reason
from autograder.intake.gradescope import METADATA
from autograder.intake.layouts import LAYOUTS, claims
from autograder.intake.names import note, printable_ids, shown
from autograder.model import Entry


def discover(path: Path, assignment: str, layout: str = "auto") -> list[Entry]:
    """One entry a student, sorted by student, for the submissions in the folder ``path``.

    ``layout`` is "auto" or the name of the only layout to look for. No submission is opened.

    Raises ``IntakeError`` when ``path`` is no folder that can be listed, when it holds no
    submissions (in the forced layout), and when Gradescope's metadata are broken.
    """
    known = ["auto", *(each.name for each in LAYOUTS)]
    if layout not in known:
        raise IntakeError(f"there is no layout {shown(layout)}: use one of {', '.join(known)}")
    path = Path(path)
    place = shown(str(path), 300)
    if not os.path.lexists(path):
        raise IntakeError(f"{place} does not exist: give the folder that holds the submissions")
    if not os.path.isdir(path):
        raise IntakeError(f"{place} is not a folder: give the folder that holds the submissions, unpacked")
    try:
        found = claims(look(Path(os.path.abspath(path)), assignment, layout))
    except OSError as error:
        raise IntakeError(f"{place} cannot be listed: {reason(error)}; check its permissions") from error
    nested = _exports(found)
    if nested and layout == "auto":
        raise IntakeError(f"{place} holds a Gradescope export: give {shown(str(nested[0]), 300)}")
    if not found:
        pictures = [each.picture for each in LAYOUTS if layout in ("auto", each.name)]
        raise IntakeError(f"{place} holds no submissions: expected {'; or '.join(pictures)}")
    return _entries(found)


def _exports(found: Sequence[Claim]) -> list[Path]:
    """Folders of a whole class, which would be taken for one student's; none where there are students beside
    them, for any of them can hand in a file of that name."""
    parts = [claim.part for claim in found if claim.part is not None]
    exports = [part for part in parts if os.path.lexists(part / METADATA)]
    beside = {claim.student for claim in found} - {part.name for part in exports}
    return [] if beside else sorted(exports)


def _entries(found: Sequence[Claim]) -> list[Entry]:
    """The claims gathered by student."""
    ids = printable_ids(claim.student for claim in found)
    by_student: defaultdict[str, list[Claim]] = defaultdict(list)
    for claim in sorted(found, key=lambda claim: (claim.order, str(claim.part))):
        by_student[ids[claim.student]].append(claim)
    return [_entry(student, by_student[student]) for student in sorted(by_student)]


def _entry(student: str, own: Sequence[Claim]) -> Entry:
    """One student's entry; word of a part that is not there is dropped when there is another."""
    parts = tuple(dict.fromkeys(claim.part for claim in own if claim.part is not None))
    notes = (claim.note for claim in own if claim.part is not None or not parts)
    return Entry(student, parts, note(*notes))
