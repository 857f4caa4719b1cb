"""What a layout's detector sees, and what it claims."""

from __future__ import annotations

import os
from dataclasses import dataclass, field, replace
from pathlib import Path

from autograder.intake.names import VENV_MARK, VENV_PARTS, is_hidden, is_hidden_work, is_skipped_folder
from autograder.model import HandedIn

NOT_SAID = HandedIn()


@dataclass(frozen=True)
class Item:
    """One name in the folder of submissions."""

    name: str
    path: Path
    folder: bool  # or a link to one, which becomes an entry that cannot be taken
    link: bool


@dataclass(frozen=True)
class Listing:
    """The names in the folder of submissions. ``forced`` is the layout that the caller insists on, or "auto"."""

    root: Path
    assignment: str
    forced: str = "auto"
    items: dict[str, Item] = field(default_factory=dict)
    skipped: tuple[str, ...] = ()  # folders, and hidden work, that are no student's

    def without(self, names: frozenset[str]) -> Listing:
        """Return the listing without ``names``."""
        return replace(self, items={name: item for name, item in self.items.items() if name not in names})


@dataclass(frozen=True)
class Claim:
    """A part of a student's work, or only the student. ``order`` ranks one student's parts, lowest first.

    ``name`` and ``handed_in``: see ``model.Entry``.
    """

    student: str
    part: Path | None
    order: int
    note: str = ""
    name: str = ""
    handed_in: HandedIn = NOT_SAID


@dataclass(frozen=True)
class Claims:
    """All that one detector recognises, and the names that it takes away from other detectors."""

    claims: tuple[Claim, ...] = ()
    taken: frozenset[str] = frozenset()


def list_folder(root: Path, assignment: str, forced: str) -> Listing:
    """Return the visible names in ``root``. Raises ``OSError`` if it cannot be listed."""
    items, skipped = {}, []
    with os.scandir(root) as entries:
        for entry in entries:
            folder = _is_folder(entry)
            if is_hidden(entry.name) or (folder and _is_tool(entry)):
                skipped += [entry.name] if folder or is_hidden_work(entry.name) else []
                continue
            items[entry.name] = Item(entry.name, root / entry.name, folder, entry.is_symlink())
    return Listing(root, assignment, forced, dict(sorted(items.items())), tuple(skipped))


def subfolders(folder: Path) -> set[str]:
    """Return the names of the folders in ``folder``; none if it cannot be listed."""
    try:
        with os.scandir(folder) as entries:
            return {entry.name for entry in entries if _is_folder(entry)}
    except OSError:
        return set()


def _is_folder(entry: os.DirEntry[str]) -> bool:
    """Return whether it is a folder or a link to one. A circular link is not."""
    try:
        return entry.is_dir()
    except OSError:
        return False


def _is_tool(entry: os.DirEntry[str]) -> bool:
    """Return whether a folder at the top is a virtual environment or the like, and no student's.

    The mark alone does not decide: a student's own folder may be an environment too.
    """
    if is_skipped_folder(entry.name):
        return True
    if not os.path.lexists(os.path.join(entry.path, VENV_MARK)):
        return False
    try:
        names = {name.lower() for name in os.listdir(entry.path)}
    except OSError:
        return False
    return names <= {VENV_MARK, *VENV_PARTS, *filter(is_hidden, names)}
