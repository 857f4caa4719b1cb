"""The layouts in which submissions come, as a table of detectors (contract, section 3)."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from autograder.intake import canvas, gradescope
from autograder.intake.claims import Claim, Claims, Scene, look, subfolders
from autograder.intake.names import ARCHIVE, SOURCES, quoted, stem_of, suffix_of
from autograder.model import TOPICS

SUBMITTED = "submitted"
# What lies beside ``submitted`` in an nbgrader course, and is no student.
_COURSE = frozenset(
    {"source", "release", "autograded", "feedback", "exchange"}
    | {"gradebook.db", "nbgrader_config.py", "nbgrader.log"}
)
_FILE_ORDER = {".py": 40, ".ipynb": 41, ARCHIVE: 42}
# What cannot be graded, yet is not to be lost where every file is said to be a student's.
_HOPELESS = frozenset({".doc", ".docx", ".odt", ".pdf", ".rtf", ".rar", ".7z", ".tar", ".gz", ".tgz"})


@dataclass(frozen=True)
class Layout:
    """A layout: how to recognise it, and what it looks like for those who forced it in vain."""

    name: str
    claim: Callable[[Scene], Claims]
    picture: str


def _nbgrader(scene: Scene) -> Claims:
    """``submitted/STUDENT/ASSIGNMENT``, given ``submitted`` or its parent."""
    inner = scene.items.get(SUBMITTED)
    if inner is not None and inner.folder and scene.root.name != SUBMITTED:
        inside = claims(look(inner.path, scene.assignment, scene.forced))
        return Claims(inside, _COURSE | {SUBMITTED})
    if scene.root.name != SUBMITTED and scene.forced != "nbgrader":
        return Claims()
    real = [item for item in scene.items.values() if item.folder and not item.link]
    folders = {item.name: subfolders(item.path) for item in real}
    if not any(scene.assignment in below for below in folders.values()):
        return Claims()  # folders of students after all, where no one has a folder of this assignment
    claims_, taken = [], set()
    for name, below in folders.items():
        handed_in = scene.assignment in below
        if not handed_in and scene.forced != "nbgrader" and not below & set(TOPICS):
            continue
        part = scene.items[name].path / scene.assignment if handed_in else None
        remark = "" if handed_in else f"found no folder {scene.assignment} in {quoted(name)}"
        claims_.append(Claim(name, part, 0, remark))
        taken.add(name)
    return Claims(tuple(claims_), frozenset(taken))


def _files(scene: Scene) -> Claims:
    """``STUDENT.py``, ``STUDENT.ipynb``, ``STUDENT.zip``."""
    claims_, taken = [], set()
    for item in scene.items.values():
        suffix = suffix_of(item.name)
        known = suffix in _FILE_ORDER or (scene.forced == "files" and suffix in _HOPELESS)
        if known and not item.folder:
            claims_.append(Claim(stem_of(item.name), item.path, _FILE_ORDER.get(suffix, 50)))
            taken.add(item.name)
    return Claims(tuple(claims_), frozenset(taken))


def _folders(scene: Scene) -> Claims:
    """``STUDENT/``, with anything in it."""
    found = [item for item in scene.items.values() if item.folder]
    names = frozenset(item.name for item in found)
    return Claims(tuple(Claim(item.name, item.path, 20) for item in found), names)


# The more special before the more general: each takes what it knows from those below it.
LAYOUTS = (
    Layout("gradescope", gradescope.claim, f"submission_N folders and {gradescope.METADATA}"),
    Layout("nbgrader", _nbgrader, f"{SUBMITTED}/STUDENT/ASSIGNMENT folders"),
    Layout("canvas", canvas.claim, "files named lastfirst_12345_67890_name.py"),
    Layout("files", _files, f"STUDENT.py, STUDENT.ipynb or STUDENT{ARCHIVE} files"),
    Layout("folder", _folders, "one folder a student"),
)
assert set(_FILE_ORDER) == {*SOURCES, ARCHIVE}


def claims(scene: Scene) -> tuple[Claim, ...]:
    """What the detectors, or the forced one alone, find in the scene.

    Raises ``IntakeError`` for broken metadata and ``OSError`` for a folder that cannot be listed.
    """
    found: list[Claim] = []
    for layout in LAYOUTS:
        if scene.forced in ("auto", layout.name):
            told = layout.claim(scene)
            found += told.claims
            scene = scene.without(set(told.taken))
    return tuple(found)
