"""The layouts of a folder of submissions, as a table of detectors (contract, section 3)."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from autograder.assignments import NAMES
from autograder.intake import canvas, gradescope, moodle
from autograder.intake.detection import Claim, Claims, Listing, list_folder, subfolders
from autograder.intake.names import ARCHIVE, SOURCES, quoted, stem_of, suffix_of

SUBMITTED = "submitted"
# What lies beside ``submitted`` in an nbgrader course and is no student.
_COURSE = frozenset(
    {"source", "release", "autograded", "feedback", "exchange"} | {"gradebook.db", "nbgrader_config.py", "nbgrader.log"}
)
_FILE_ORDER = {".py": 40, ".ipynb": 41, ARCHIVE: 42}
# Files that cannot be graded. In the forced layout ``files`` they still belong to a student.
_UNGRADABLE = frozenset({".doc", ".docx", ".odt", ".pdf", ".rtf", ".rar", ".7z", ".tar", ".gz", ".tgz"})


@dataclass(frozen=True)
class Layout:
    """A layout: how to recognise it, and a picture of it for error messages."""

    name: str
    claim: Callable[[Listing], Claims]
    picture: str


def _nbgrader(listing: Listing) -> Claims:
    """Claim ``submitted/STUDENT/ASSIGNMENT``; the listing is of ``submitted`` or its parent."""
    inner = listing.items.get(SUBMITTED)
    if inner is not None and inner.folder and listing.root.name != SUBMITTED:
        inside = claims(list_folder(inner.path, listing.assignment, listing.forced))
        return Claims(inside, _COURSE | {SUBMITTED})
    if listing.root.name != SUBMITTED and listing.forced != "nbgrader":
        return Claims()
    real = [item for item in listing.items.values() if item.folder and not item.link]
    folders = {item.name: subfolders(item.path) for item in real}
    if not any(listing.assignment in below for below in folders.values()):
        return Claims()  # plain folders of students: none has a folder of this assignment
    claims_, taken = [], set()
    for name, below in folders.items():
        handed_in = listing.assignment in below
        if not handed_in and listing.forced != "nbgrader" and not below & set(NAMES):
            continue
        part = listing.items[name].path / listing.assignment if handed_in else None
        remark = "" if handed_in else f"found no folder {listing.assignment} in {quoted(name)}"
        claims_.append(Claim(name, part, 0, remark))
        taken.add(name)
    return Claims(tuple(claims_), frozenset(taken))


def _files(listing: Listing) -> Claims:
    """Claim ``STUDENT.py``, ``STUDENT.ipynb`` and ``STUDENT.zip``."""
    claims_, taken = [], set()
    for item in listing.items.values():
        suffix = suffix_of(item.name)
        known = suffix in _FILE_ORDER or (listing.forced == "files" and suffix in _UNGRADABLE)
        if known and not item.folder:
            claims_.append(Claim(stem_of(item.name), item.path, _FILE_ORDER.get(suffix, 50)))
            taken.add(item.name)
    return Claims(tuple(claims_), frozenset(taken))


def _folders(listing: Listing) -> Claims:
    """Claim ``STUDENT/``, with anything in it."""
    found = [item for item in listing.items.values() if item.folder]
    names = frozenset(item.name for item in found)
    return Claims(tuple(Claim(item.name, item.path, 20) for item in found), names)


# From special to general: each layout takes its names away from those below it.
LAYOUTS = (
    Layout("gradescope", gradescope.claim, f"submission_N folders and {gradescope.METADATA}"),
    Layout("moodle", moodle.claim, "Name_ID_assignsubmission_file folders or files"),
    Layout("nbgrader", _nbgrader, f"{SUBMITTED}/STUDENT/ASSIGNMENT folders"),
    Layout("canvas", canvas.claim, "files named lastfirst_12345_67890_name.py"),
    Layout("files", _files, f"STUDENT.py, STUDENT.ipynb or STUDENT{ARCHIVE} files"),
    Layout("folder", _folders, "one folder a student"),
)
assert set(_FILE_ORDER) == {*SOURCES, ARCHIVE}


def claims(listing: Listing) -> tuple[Claim, ...]:
    """Return what the detectors find, or the forced one alone.

    Raises ``IntakeError`` for broken metadata and ``OSError`` for a folder that cannot be listed.
    """
    return _split(listing)[0]


def unclaimed(listing: Listing) -> tuple[str, ...]:
    """Return the names that no detector takes. Raises as ``claims``."""
    return tuple(_split(listing)[1].items)


def _split(listing: Listing) -> tuple[tuple[Claim, ...], Listing]:
    found: list[Claim] = []
    for layout in LAYOUTS:
        if listing.forced in ("auto", layout.name):
            claimed = layout.claim(listing)
            found += claimed.claims
            listing = listing.without(claimed.taken)
    return tuple(found), listing
