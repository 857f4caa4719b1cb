"""What a student's folder or zip holds, as a list of files."""

from __future__ import annotations

import os
import stat
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from functools import partial

from autograder.intake.files import read_regular, reason
from autograder.intake.names import (
    VENV_MARK,
    VENV_PARTS,
    Rank,
    is_hidden,
    is_hidden_work,
    is_skipped_folder,
    listed,
    quoted,
    rank,
)

MAX_ENTRIES = 20_000

Steps = tuple[str, ...]


@dataclass(frozen=True)
class Leaf:
    """One file: its path below the student's folder, how its name fits, and how to load its bytes.

    ``trouble`` says why it cannot be used although it is there ("is a link …").
    """

    path: Steps
    rank: Rank
    load: Callable[[int], bytes]
    trouble: str = ""
    special: bool = False  # neither file nor link: a FIFO, a device, a socket

    @property
    def name(self) -> str:
        """Return the path as text."""
        return "/".join(self.path)


@dataclass(frozen=True)
class Tree:
    """The files of one part of an entry. ``unreadable`` says why the whole part cannot be opened, and ``closed`` why
    archives inside it cannot."""

    leaves: tuple[Leaf, ...] = ()
    unreadable: str = ""
    remarks: tuple[str, ...] = ()
    closed: tuple[str, ...] = ()


def folder_tree(root: str, assignment: str) -> Tree:
    """Return the files below ``root``, level by level, so that the shallowest are found if there are too many.

    Links to folders are not followed: those that stay inside would only repeat files.
    """
    leaves: list[Leaf] = []
    remarks: list[str] = []
    skipped: list[Steps] = []
    level: list[Steps] = [()]
    budget = MAX_ENTRIES
    real_root = os.path.realpath(root)
    while level:
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
            files, folders, hidden = _split(entries, folder, assignment, real_root)
            skipped += hidden
            leaves += files
            below += folders
            if budget <= 0:
                return Tree(tuple(leaves), "", (*remarks, f"looked at the first {MAX_ENTRIES} entries only"))
        level = below
    return Tree(tuple(leaves), "", (*remarks, *skipped_remark(skipped)))


def skipped_remark(skipped: Iterable[Steps]) -> tuple[str, ...]:
    """Return a remark on folders and hidden work that are not looked at; none if there are none."""
    names = ["/".join(steps) for steps in dict.fromkeys(skipped)]
    return (f"skipped {listed(names)}",) if names else ()


def _entries(folder: str, budget: int) -> list[os.DirEntry[str]]:
    """Return at most ``budget`` entries, by name; a folder may hold millions."""
    with os.scandir(folder) as found:
        return sorted((entry for entry, _ in zip(found, range(budget), strict=False)), key=lambda e: e.name)


def _split(
    entries: list[os.DirEntry[str]], folder: Steps, assignment: str, root: str
) -> tuple[list[Leaf], list[Steps], list[Steps]]:
    """Split the entries of one folder into files to consider, folders to walk, and what is skipped."""
    names = {entry.name for entry in entries}
    if folder and VENV_MARK in names:
        return [], [], [folder]
    skipped = VENV_PARTS if VENV_MARK in names else frozenset()
    files: list[Leaf] = []
    folders: list[Steps] = []
    passed_over: list[Steps] = []
    for entry in entries:
        path = (*folder, entry.name)
        if not entry.is_dir(follow_symlinks=False):
            files += _leaf(entry, path, assignment, root)
            passed_over += [path] if is_hidden_work(entry.name) else []
        else:
            tools = is_skipped_folder(entry.name) or entry.name.lower() in skipped
            (passed_over if tools else folders).append(path)
    return files, folders, passed_over


def _leaf(entry: os.DirEntry[str], path: Steps, assignment: str, root: str) -> Iterator[Leaf]:
    """Yield a file as a leaf, unless it is hidden."""
    if is_hidden(entry.name):
        return
    fit = rank(entry.name, assignment)
    if entry.is_file(follow_symlinks=False):
        yield Leaf(path, fit, partial(read_regular, entry.path))
    elif entry.is_symlink():
        target = os.path.realpath(entry.path)
        yield Leaf(path, fit, partial(read_regular, target), link_trouble(target, root))
    else:
        yield Leaf(path, fit, partial(read_regular, entry.path), "is not a regular file", special=True)


def link_trouble(target: str, root: str) -> str:
    """Return why a link to ``target`` is not followed; '' if it leads to a file inside ``root``."""
    if not target.startswith(os.path.join(root, "")):
        return "is a link that leaves the folder and is not followed"
    try:
        regular = stat.S_ISREG(os.stat(target).st_mode)
    except OSError:
        regular = False
    return "" if regular else "is a link that leads to no file"
