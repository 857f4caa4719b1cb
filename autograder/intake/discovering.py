"""Who submitted: one entry for each student of a folder in any layout. Only names are read."""

from __future__ import annotations

import os
from collections import defaultdict
from collections.abc import Sequence
from pathlib import Path

import msgspec

from autograder.intake.detection import Claim, list_folder
from autograder.intake.errors import IntakeError, Unreadable
from autograder.intake.files import read_regular, reason
from autograder.intake.layouts import LAYOUTS, claims, unclaimed
from autograder.intake.names import note, printable_ids, shown
from autograder.model import Entry
from autograder.model.run_files import LOCK, PREVIOUS, RUN_FILES, mark

LONGEST_MARK = 1000  # bytes of a lock file


def discover(path: Path, assignment: str, layout: str = "auto") -> list[Entry]:
    """Return one entry for each student in the folder ``path``, sorted by student. No submission is opened.

    ``layout`` is "auto" or the name of the only layout to look for. Raises ``IntakeError`` if ``path`` cannot be
    listed, holds no submissions in that layout, or has broken Gradescope metadata.
    """
    known = ["auto", *(each.name for each in LAYOUTS)]
    if layout not in known:
        raise IntakeError(f"there is no layout {shown(layout)}: use one of {', '.join(known)}")
    path = Path(path)
    place = shown(str(path), 300)
    if not os.path.lexists(path):
        raise IntakeError(f"{place} does not exist: give the folder that holds the submissions")
    if not os.path.isdir(path):
        raise IntakeError(f"{place} is not a folder or a zip: give the folder that holds the submissions")
    if is_output(path):
        raise IntakeError(f"{place} is the output of an earlier run: give the folder that holds the submissions")
    try:
        found = claims(list_folder(Path(os.path.abspath(path)), assignment, layout))
    except OSError as error:
        raise IntakeError(f"{place} cannot be listed: {reason(error)}; check its permissions") from error
    if not found:
        pictures = [each.picture for each in LAYOUTS if layout in ("auto", each.name)]
        raise IntakeError(f"{place} holds no submissions: expected {'; or '.join(pictures)}")
    return _entries(found)


def passed_over(path: Path, assignment: str, layout: str = "auto") -> list[str]:
    """Return the names in ``path`` that ``discover`` takes for nobody's work, without files of the system."""
    listing = list_folder(Path(os.path.abspath(path)), assignment, layout)
    return sorted((*listing.skipped, *unclaimed(listing)))


def without_outputs(entries: Sequence[Entry], out: Path) -> tuple[list[Entry], list[Entry]]:
    """Return the submissions, and what are output folders among them: ``out`` and those of earlier runs."""
    submissions, outputs = [], []
    for entry in entries:
        ours = tuple(part for part in entry.parts if _is_same(part, out) or is_output(part))
        if not ours:
            submissions.append(entry)
            continue
        outputs.append(Entry(entry.student, ours))
        if rest := [at for at, part in enumerate(entry.parts) if part not in ours]:
            parts, names = (tuple(all_of[at] for at in rest) for all_of in (entry.parts, entry.names))
            submissions.append(msgspec.structs.replace(entry, parts=parts, names=names))
    return submissions, outputs


def _is_same(part: Path, out: Path) -> bool:
    """Return whether ``part`` is the folder ``out``. A link that somebody hands in is not."""
    if os.path.islink(part):
        return _place(part) == _place(out)
    return os.path.realpath(part) == os.path.realpath(out)


def _place(path: Path) -> str:
    absolute = os.path.abspath(path)
    return os.path.join(os.path.realpath(os.path.dirname(absolute)), os.path.basename(absolute))


def is_output(folder: Path) -> bool:
    """Return whether a folder holds the files of an earlier run and nothing else. It may lie among the submissions.

    Names alone don't decide, as a student can choose them: a run has marked the folder.
    """
    try:
        names = {name for name in os.listdir(folder) if not name.startswith(".")}
        if folder.is_symlink() or not {"journal.sqlite", "results"} <= names <= {*RUN_FILES, PREVIOUS}:
            return False
        lines = read_regular(str(folder / LOCK), LONGEST_MARK).decode("utf-8", "replace").splitlines()
        return mark(folder) in lines
    except (OSError, Unreadable):  # a file, a folder that can't be listed, or one without a mark
        return False


def _entries(found: Sequence[Claim]) -> list[Entry]:
    """Return the claims gathered by student."""
    ids = printable_ids(claim.student for claim in found)
    by_student: defaultdict[str, list[Claim]] = defaultdict(list)
    for claim in sorted(found, key=lambda claim: (claim.order, str(claim.part))):
        by_student[ids[claim.student]].append(claim)
    return [_entry(student, by_student[student]) for student in sorted(by_student)]


def _entry(student: str, own: Sequence[Claim]) -> Entry:
    """Return one student's entry. A note about a missing part is dropped if there is another part."""
    by_part = {claim.part: claim for claim in reversed(own) if claim.part is not None}
    found = [by_part[part] for part in dict.fromkeys(claim.part for claim in own if claim.part is not None)]
    parts = tuple(claim.part for claim in found if claim.part is not None)
    notes = (claim.note for claim in own if claim.part is not None or not parts)
    times = sorted((claim.handed_in for claim in own), key=lambda one: (one.at, bool(one.late)))
    return Entry(student, parts, note(*notes), tuple(claim.name for claim in found), times[-1])
