"""What a student's folder holds, as a list of files, whether it lies on the disk or in a zip."""

from __future__ import annotations

import os
import stat
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import partial
from typing import Literal

from autograder.intake.files import read_regular, reason
from autograder.intake.names import VENV_MARK, VENV_PARTS, is_hidden, is_skipped_folder, quoted, rank

MAX_ENTRIES = 20_000

Steps = tuple[str, ...]


@dataclass(frozen=True)
class Leaf:
    """One file: where it lies below the student's folder, how its name fits, and how to get its bytes.

    ``trouble`` says why it cannot be taken although it is there ("is a link ...").
    """

    path: Steps
    rank: Literal["exact", "alike", "other"]
    load: Callable[[int], bytes]
    trouble: str = ""
    special: bool = False  # neither file nor link: a FIFO, a device, a socket

    @property
    def name(self) -> str:
        """The path as text."""
        return "/".join(self.path)


@dataclass(frozen=True)
class Tree:
    """The files of one part of an entry; ``unreadable`` says why the part as a whole cannot be opened."""

    leaves: tuple[Leaf, ...] = ()
    unreadable: str = ""
    remarks: tuple[str, ...] = ()


def folder_tree(root: str, topic: str) -> Tree:
    """The files below ``root``, level by level, down to the first level with a file of the exact name.

    Links are never walked: one that stays inside only repeats what is found anyway.
    """
    leaves: list[Leaf] = []
    remarks: list[str] = []
    level: list[Steps] = [()]
    budget = MAX_ENTRIES
    real_root = os.path.realpath(root)
    while level and not any(leaf.rank == "exact" and not leaf.trouble for leaf in leaves):
        below: list[Steps] = []
        for folder in level:
            try:
                entries = _entries(os.path.join(root, *folder), budget)
            except OSError as error:
                complaint = f"cannot be opened: {reason(error)}"
                if not folder:
                    return Tree(unreadable=complaint)
                remarks.append(f"the folder {quoted('/'.join(folder))} {complaint}")
                continue
            budget -= len(entries)
            files, folders = _split(entries, folder, topic, real_root)
            leaves += files
            below += folders
            if budget <= 0:
                return Tree(tuple(leaves), "", (*remarks, f"looked at the first {MAX_ENTRIES} entries only"))
        level = below
    return Tree(tuple(leaves), "", tuple(remarks))


def _entries(folder: str, budget: int) -> list[os.DirEntry[str]]:
    """At most ``budget`` entries by name; a folder may hold millions."""
    with os.scandir(folder) as found:
        return sorted((entry for entry, _ in zip(found, range(budget), strict=False)), key=lambda e: e.name)


def _split(
    entries: list[os.DirEntry[str]], folder: Steps, topic: str, root: str
) -> tuple[list[Leaf], list[Steps]]:
    """The entries of one folder as files to consider and folders to walk."""
    names = {entry.name for entry in entries}
    if folder and VENV_MARK in names:
        return [], []
    skipped = VENV_PARTS if VENV_MARK in names else frozenset()
    files: list[Leaf] = []
    folders: list[Steps] = []
    for entry in entries:
        if not entry.is_dir(follow_symlinks=False):
            files += _leaf(entry, (*folder, entry.name), topic, root)
        elif not is_skipped_folder(entry.name) and entry.name.lower() not in skipped:
            folders.append((*folder, entry.name))
    return files, folders


def _leaf(entry: os.DirEntry[str], path: Steps, topic: str, root: str) -> Iterator[Leaf]:
    """A file as a leaf; nothing for a hidden one."""
    if is_hidden(entry.name):
        return
    fit = rank(entry.name, topic)
    if entry.is_file(follow_symlinks=False):
        yield Leaf(path, fit, partial(read_regular, entry.path))
    elif entry.is_symlink():
        target = os.path.realpath(entry.path)
        yield Leaf(path, fit, partial(read_regular, target), link_trouble(target, root))
    else:
        yield Leaf(path, fit, partial(read_regular, entry.path), "is not a regular file", special=True)


def link_trouble(target: str, root: str) -> str:
    """Why a link to ``target`` is not followed; '' when it leads to a file inside ``root``."""
    if not target.startswith(os.path.join(root, "")):
        return "is a link that leaves the folder and is not followed"
    try:
        regular = stat.S_ISREG(os.stat(target).st_mode)
    except OSError:
        regular = False
    return "" if regular else "is a link that leads to no file"
