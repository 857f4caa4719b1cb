"""Read a student's work with bounded reads, and never execute it."""

from __future__ import annotations

import hashlib
import os
import stat
from collections.abc import Iterable, Sequence
from functools import partial
from pathlib import Path
from typing import Literal

import msgspec

from autograder.intake.archive import zip_tree
from autograder.intake.choosing import Choice, choose
from autograder.intake.errors import Unreadable
from autograder.intake.files import MB, read_regular, reason
from autograder.intake.names import ARCHIVE, SOURCES, expected_name, note, quoted, shown, suffix_of
from autograder.intake.notebook import code_cells
from autograder.intake.tree import Leaf, Tree, folder_tree
from autograder.model import Entry, Submission

LIMITS = {"script": 10 * MB, "notebook": 100 * MB}


def read(entry: Entry, assignment: str) -> Submission:
    """Return the file of ``entry`` that counts for ``assignment``, as source text.

    Nothing that a student hands in raises an error. The status is then "missing" or "unreadable", and the note says
    what was found and what was expected.
    """
    work = pick(entry, assignment)[0]
    return _unnamed(work, assignment) if entry.anonymous else work


def _unnamed(work: Submission, assignment: str) -> Submission:
    """Return a submission whose facts name no file: a name may hold the student's."""
    name = f"{assignment}{'.ipynb' if work.kind == 'notebook' else '.py'}" if work.filename else ""
    told = "" if work.status == "ready" else f"no file for {assignment} that can be read"
    return msgspec.structs.replace(work, filename=name, note=told, path="")


def pick(entry: Entry, assignment: str) -> tuple[Submission, bool]:
    """Return what ``read`` returns, and whether the file is missing only because several could be meant."""
    trees: list[Tree] = []
    for part in entry.parts:
        trees.append(part_tree(part, assignment))
        if any(leaf.rank == "exact" and not leaf.trouble for leaf in trees[-1].leaves):
            break  # a later part cannot win any more
    choice = choose(trees, assignment)
    if choice.leaf is None:
        return _without(entry, trees, choice, assignment), choice.several
    work = load(entry.student, choice.leaf, entry.note, choice.note)
    return msgspec.structs.replace(work, handed_in=entry.handed_in), False


def part_tree(part: Path, assignment: str) -> Tree:
    """Return the files of one part: a folder, an archive, or a single file."""
    name = part.name
    try:
        mode = os.lstat(part).st_mode
    except OSError as error:
        return Tree(remarks=(f"{quoted(name)} cannot be found: {reason(error)}",))
    if stat.S_ISDIR(mode):
        tree = folder_tree(str(part), assignment)
    elif stat.S_ISREG(mode) and suffix_of(name) == ARCHIVE:
        tree = zip_tree(str(part), assignment)
    else:
        return Tree((_lone_leaf(part, mode),))
    return Tree(tree.leaves, f"{quoted(name)} {tree.unreadable}" if tree.unreadable else "", tree.remarks)


def load(student: str, leaf: Leaf, *remarks: str) -> Submission:
    """Return the chosen file's text as a submission, or an unreadable submission that says why."""
    kind = SOURCES.get(suffix_of(leaf.name), "script")
    try:
        raw = leaf.load(LIMITS[kind])
        cells = code_cells(raw) if kind == "notebook" else (raw,)
    except Unreadable as error:
        return Submission(student, "unreadable", note=note(*remarks, f"{quoted(leaf.name)} {error}"))
    name = shown(leaf.path[-1])
    digest, sha256 = _digest(kind, cells), hashlib.sha256(raw).hexdigest()
    return Submission(student, "ready", kind, name, cells, note(*remarks), digest, leaf.name, sha256)


def _lone_leaf(part: Path, mode: int) -> Leaf:
    """Return a single file named after its student. Any source file counts as the expected one."""
    get = partial(read_regular, str(part))
    if stat.S_ISREG(mode):
        return Leaf((part.name,), "exact" if suffix_of(part.name) in SOURCES else "other", get)
    if stat.S_ISLNK(mode):
        return Leaf((part.name,), "exact", get, "is a link and is not followed")
    return Leaf((part.name,), "exact", get, "is not a regular file", special=True)


def _without(entry: Entry, trees: Sequence[Tree], choice: Choice, assignment: str) -> Submission:
    """Return the submission of a student without a usable file."""
    closed = [tree.unreadable for tree in trees if tree.unreadable]
    special = any(leaf.special and leaf.rank != "other" for tree in trees for leaf in tree.leaves)
    status: Literal["missing", "unreadable"] = "unreadable" if (closed or special) and not choice.several else "missing"
    found = choice.note
    if closed and not any(tree.leaves for tree in trees):
        found = f"expected {expected_name(assignment)}"  # "found no files" would be wrong for a closed part
    elif entry.note and not entry.parts:
        found = ""  # the note of ``discover`` says it all
    return Submission(entry.student, status, note=note(entry.note, *closed, found))


def _digest(kind: str, cells: Iterable[bytes]) -> str:
    """Return a digest of the work. Each piece follows its length, so different works never look alike."""
    digest = hashlib.sha256()
    for piece in (kind.encode(), *cells):
        digest.update(len(piece).to_bytes(8, "big"))
        digest.update(piece)
    return digest.hexdigest()
