"""What a layout's detector sees, and what it says about it."""

from __future__ import annotations

import os
from dataclasses import dataclass, field
from pathlib import Path

from autograder.intake.names import VENV_MARK, VENV_PARTS, is_hidden, is_skipped_folder


@dataclass(frozen=True)
class Item:
    """One name in the folder of submissions."""

    name: str
    path: Path
    folder: bool  # a real one, or a link to one: that link is then an entry that cannot be taken
    link: bool


@dataclass(frozen=True)
class Scene:
    """The folder of submissions: what a detector may look at.

    ``forced`` is the layout that the caller insists on, or "auto".
    """

    root: Path
    assignment: str
    forced: str = "auto"
    items: dict[str, Item] = field(default_factory=dict)

    def without(self, names: set[str]) -> Scene:
        """The same scene where ``names`` are spoken for."""
        items = {name: item for name, item in self.items.items() if name not in names}
        return Scene(self.root, self.assignment, self.forced, items)


@dataclass(frozen=True)
class Claim:
    """A part of a student's work, or (without ``part``) only the news that there is such a student.

    ``order`` ranks the parts of one student, the lowest first.
    """

    student: str
    part: Path | None
    order: int
    note: str = ""


@dataclass(frozen=True)
class Claims:
    """All that one detector recognised, with the names that nobody else should look at."""

    claims: tuple[Claim, ...] = ()
    taken: frozenset[str] = frozenset()


def look(root: Path, assignment: str, forced: str) -> Scene:
    """The visible names in ``root``. Raises ``OSError`` when it cannot be listed."""
    items = {}
    with os.scandir(root) as entries:
        for entry in entries:
            folder = _is_folder(entry)
            if is_hidden(entry.name) or (folder and _is_tool(entry)):
                continue
            items[entry.name] = Item(entry.name, root / entry.name, folder, entry.is_symlink())
    return Scene(root, assignment, forced, dict(sorted(items.items())))


def subfolders(folder: Path) -> set[str]:
    """The names of the folders in ``folder``; none when it cannot be listed."""
    try:
        with os.scandir(folder) as entries:
            return {entry.name for entry in entries if _is_folder(entry)}
    except OSError:
        return set()


def _is_folder(entry: os.DirEntry[str]) -> bool:
    """Whether it is a folder or a link to one; a link in a circle is none."""
    try:
        return entry.is_dir()
    except OSError:
        return False


def _is_tool(entry: os.DirEntry[str]) -> bool:
    """Whether a folder at the top is a virtual environment or the like, and no student's.

    The mark alone is not enough: a student who made an environment in the folder handed in is still a student.
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
