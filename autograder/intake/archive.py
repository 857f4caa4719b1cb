"""A student's zip, seen as the folder that it would unpack to. Nothing is unpacked to the disk."""

from __future__ import annotations

import io
import stat
import zipfile
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import replace
from functools import partial

from autograder.intake.errors import Unreadable
from autograder.intake.files import MB, capped
from autograder.intake.names import (
    ARCHIVE,
    VENV_MARK,
    VENV_PARTS,
    is_hidden,
    is_hidden_work,
    is_skipped_folder,
    quoted,
    rank,
    suffix_of,
)
from autograder.intake.tree import Leaf, Steps, Tree, skipped_remark

MAX_MEMBERS = 50_000
MAX_DIRECTORY = 8_000_000  # bytes of the table of contents, which zipfile reads at once
MAX_DEPTH = 50
MAX_ARCHIVES = 20  # zips in one student's folder or zip that are looked into
LARGEST_ARCHIVE = 100 * MB  # of such a zip
_CHUNK = 65_536
# The methods that zip programs use by default. Python unpacks bz2 and lzma without a bound.
_METHODS = (zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED)
_TOO_MANY = f"holds more than {MAX_MEMBERS} files; hand in your own files only"


class _Frugal(io.BufferedReader):
    """A file without huge reads: zipfile trusts the size that a zip claims for its table of contents."""

    def read(self, size: int | None = -1, /) -> bytes:
        if size is not None and size > MAX_DIRECTORY:
            raise Unreadable(_TOO_MANY)
        return super().read(MAX_DIRECTORY if size is None or size < 0 else size)


Opener = Callable[[], io.RawIOBase | io.BytesIO]  # opens a zip; raises Unreadable


@contextmanager
def members_of(opened: Opener) -> Iterator[tuple[zipfile.ZipFile, list[zipfile.ZipInfo]]]:
    """Yield a zip with its members. Raises ``Unreadable`` if it is no zip."""
    with _Frugal(opened()) as file:
        try:
            archive = zipfile.ZipFile(file)
        except Unreadable:
            raise
        except Exception as error:  # zipfile raises many types for broken input
            raise Unreadable("is not a zip archive that can be opened") from error
        members = archive.infolist()
        if len(members) > MAX_MEMBERS:
            raise Unreadable(_TOO_MANY)
        yield archive, members


def with_archives(tree: Tree, assignment: str) -> Tree:
    """Return a tree in which the first few zips are folders, with their files in them. Zips in these stay closed."""
    leaves, closed = list(tree.leaves), list(tree.closed)
    zips = [leaf for leaf in tree.leaves if suffix_of(leaf.name) == ARCHIVE and not leaf.trouble]
    for archive in zips[:MAX_ARCHIVES]:
        try:
            data = archive.load(LARGEST_ARCHIVE)
        except Unreadable as error:
            closed.append(f"{quoted(archive.name)} {error}")
            continue
        inside = zip_tree(partial(io.BytesIO, data), assignment)
        closed += [f"{quoted(archive.name)} {inside.unreadable}"] if inside.unreadable else []
        leaves += [replace(leaf, path=(*archive.path, *leaf.path)) for leaf in inside.leaves]
    return replace(tree, leaves=tuple(leaves), closed=tuple(closed))


def zip_tree(opened: Opener, assignment: str) -> Tree:
    """Return the files in a zip."""
    files: dict[Steps, Leaf] = {}
    skipped: dict[Steps, None] = {}
    try:
        with members_of(opened) as (_, members):
            for index, member in enumerate(members):  # the later of two members with one name counts, as on a disk
                steps = _steps(member.filename)
                if hidden := _hidden(steps):
                    skipped[hidden] = None
                elif steps and not is_hidden(steps[-1]):
                    files[steps] = _leaf(opened, steps, index, member, assignment)
    except Unreadable as error:
        return Tree(unreadable=str(error))
    top = _only_folder(files)
    venvs = {steps[:-1] for steps in files if steps[-1] == VENV_MARK}
    leaves = tuple(leaf for steps, leaf in sorted(files.items()) if not _in_venv(steps, venvs, top))
    return Tree(leaves, remarks=skipped_remark(skipped))


def _hidden(steps: Steps) -> Steps:
    """Return the folder on the way to a member that is skipped, or the member if it is hidden work; () if neither."""
    ends = (at for at, step in enumerate(steps[:-1], start=1) if is_skipped_folder(step))
    return steps[: next(ends, len(steps) if steps and is_hidden_work(steps[-1]) else 0)]


def _steps(name: str) -> Steps:
    """Return a member's path in the zip; () for folders, and for members that would land outside.

    A step ``..`` stays: its dot makes it a hidden folder, which is skipped.
    """
    name = name.replace("\\", "/")  # some Windows programs write these
    steps = tuple(step for step in name.split("/") if step not in ("", "."))
    outside = name.startswith("/") or name[1:2] == ":"
    return () if outside or name.endswith("/") or len(steps) > MAX_DEPTH else steps


def _only_folder(files: dict[Steps, Leaf]) -> Steps:
    """Return the only folder at the top; () if there is anything else."""
    tops = {steps[0] for steps in files}
    return tuple(tops) if len(tops) == 1 and all(len(steps) > 1 for steps in files) else ()


def _in_venv(steps: Steps, venvs: set[Steps], top: Steps) -> bool:
    """Return whether a member is part of a virtual environment. One at the top has only its own folders."""
    if not venvs:
        return False
    for depth in range(len(steps)):
        if steps[:depth] in venvs and (depth > len(top) or steps[depth].lower() in VENV_PARTS):
            return True
    return False


def _leaf(opened: Opener, steps: Steps, index: int, member: zipfile.ZipInfo, assignment: str) -> Leaf:
    link = stat.S_ISLNK(member.external_attr >> 16)
    trouble = "is a link in the zip and is not followed" if link else ""
    return Leaf(steps, rank(steps[-1], assignment), partial(_load, opened, index), trouble)


def _load(opened: Opener, index: int, limit: int) -> bytes:
    """Return the bytes of one member, unpacked in pieces up to ``limit``."""
    with members_of(opened) as (archive, members):
        if index >= len(members):
            raise Unreadable("changed while it was read")
        member = members[index]
        if member.flag_bits & 1:
            raise Unreadable("is encrypted; hand it in without a password")
        if member.compress_type not in _METHODS:
            raise Unreadable("is packed in an unusual way; make an ordinary zip")
        data = bytearray()
        try:
            with archive.open(member) as file:
                while len(data) <= limit and (piece := file.read(_CHUNK)):
                    data += piece
        except Exception as error:  # as above
            raise Unreadable("is damaged in the zip") from error
    return capped(bytes(data), limit)
