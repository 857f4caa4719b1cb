"""Read a student's work with bounded reads, and never execute it."""

from __future__ import annotations

import hashlib
import os
import stat
from collections.abc import Iterable, Sequence
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import Literal

import msgspec

from autograder.intake.archive import with_archives, zip_tree
from autograder.intake.choosing import Choice, Work, choose
from autograder.intake.errors import Unreadable
from autograder.intake.files import MB, open_regular, read_regular, reason
from autograder.intake.names import ARCHIVE, SOURCES, Rank, expected_name, note, quoted, rank, shown, suffix_of
from autograder.intake.starter import cells_of, defines, is_starter
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
    names = entry.names or ("",) * len(entry.parts)
    trees = [part_tree(part, assignment, name) for part, name in zip(entry.parts, names, strict=True)]
    choice = choose(trees, assignment, partial(_work, assignment=assignment))
    if choice.leaf is None:
        return _without(entry, trees, choice, assignment), choice.several
    work = load(entry.student, choice.leaf, assignment, entry.note, choice.note)
    return msgspec.structs.replace(work, handed_in=entry.handed_in), False


def _work(leaf: Leaf, assignment: str) -> Work:
    """Return what a file holds. One that cannot be read holds neither."""
    try:
        cells = cells_of(leaf.name, leaf.load(LIMITS[SOURCES[suffix_of(leaf.name)]]), assignment)
    except Unreadable:
        return Work(starter=False, defines=False)
    return Work(is_starter(cells, assignment), defines(cells, assignment))


def part_tree(part: Path, assignment: str, own_name: str = "") -> Tree:
    """Return the files of one part: a folder, an archive, or a single file.

    ``own_name`` is what its student called a single file. Without it the file is named after the student.
    """
    name = own_name or part.name
    try:
        mode = os.lstat(part).st_mode
    except OSError as error:
        return Tree(remarks=(f"{quoted(name)} cannot be found: {reason(error)}",))
    if stat.S_ISDIR(mode):
        tree = folder_tree(str(part), assignment)
    elif stat.S_ISREG(mode) and suffix_of(name) == ARCHIVE:
        tree = zip_tree(partial(open_regular, str(part)), assignment)
    else:
        return Tree((_lone_leaf(part, mode, rank(own_name, assignment) if own_name else None, name),))
    if tree.unreadable:
        return replace(tree, unreadable=f"{quoted(name)} {tree.unreadable}")
    return with_archives(tree, assignment)


def load(student: str, leaf: Leaf, assignment: str, *remarks: str) -> Submission:
    """Return the chosen file's text as a submission, or an unreadable submission that says why."""
    kind = SOURCES.get(suffix_of(leaf.name), "script")
    try:
        raw = leaf.load(LIMITS[kind])
        cells = cells_of(leaf.name, raw, assignment)
    except Unreadable as error:
        return Submission(student, "unreadable", note=note(*remarks, f"{quoted(leaf.name)} {error}"))
    name = shown(leaf.path[-1])
    digest, sha256 = _digest(kind, cells), hashlib.sha256(raw).hexdigest()
    return Submission(student, "ready", kind, name, cells, note(*remarks), digest, leaf.name, sha256)


def _lone_leaf(part: Path, mode: int, fit: Rank | None, name: str) -> Leaf:
    """Return a single file. Any source file that is named after its student (no ``fit``) counts as the expected one."""
    get = partial(read_regular, str(part))
    if stat.S_ISREG(mode):
        return Leaf((name,), fit or ("exact" if suffix_of(name) in SOURCES else "other"), get)
    if stat.S_ISLNK(mode):
        return Leaf((name,), fit or "exact", get, "is a link and is not followed")
    return Leaf((name,), fit or "exact", get, "is not a regular file", special=True)


def _without(entry: Entry, trees: Sequence[Tree], choice: Choice, assignment: str) -> Submission:
    """Return the submission of a student without a usable file."""
    closed = [text for tree in trees for text in (tree.unreadable, *tree.closed) if text]
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
