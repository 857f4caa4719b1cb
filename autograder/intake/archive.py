"""A zip, seen as the folder that it would unpack to. Nothing is ever unpacked."""

from __future__ import annotations

import io
import stat
import zipfile
from collections.abc import Iterator
from contextlib import contextmanager
from functools import partial

from autograder.intake.errors import Unreadable
from autograder.intake.files import capped, open_regular
from autograder.intake.names import VENV_MARK, VENV_PARTS, is_hidden, is_skipped_folder, rank
from autograder.intake.tree import Leaf, Steps, Tree

MAX_MEMBERS = 50_000
MAX_DIRECTORY = 8_000_000  # bytes of the table of contents, which zipfile reads in one piece
MAX_DEPTH = 50
_CHUNK = 65_536
# What every zip program writes unless told otherwise. bz2 and lzma unpack without a bound in Python.
_METHODS = (zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED)
_TOO_MANY = f"holds more than {MAX_MEMBERS} files; hand in your own files only"


class _Frugal(io.BufferedReader):
    """A file that refuses to be read in huge pieces: the size of a zip's table of contents is the
    student's to claim, and zipfile would believe it."""

    def read(self, size: int | None = -1, /) -> bytes:
        if size is not None and size > MAX_DIRECTORY:
            raise Unreadable(_TOO_MANY)
        return super().read(MAX_DIRECTORY if size is None or size < 0 else size)


@contextmanager
def _members(path: str) -> Iterator[tuple[zipfile.ZipFile, list[zipfile.ZipInfo]]]:
    """The zip at ``path`` with what it says it holds; ``Unreadable`` when it is none."""
    with _Frugal(open_regular(path)) as file:
        try:
            archive = zipfile.ZipFile(file)
        except Unreadable:
            raise
        except Exception as error:  # zipfile answers broken input with a zoo of exceptions
            raise Unreadable("is not a zip archive that can be opened") from error
        members = archive.infolist()
        if len(members) > MAX_MEMBERS:
            raise Unreadable(_TOO_MANY)
        yield archive, members


def zip_tree(path: str, topic: str) -> Tree:
    """The files in the zip at ``path``, below its only top folder if it has one."""
    files: dict[Steps, Leaf] = {}
    try:
        with _members(path) as (_, members):
            for index, member in enumerate(members):  # of two with one name the later counts, as on a disk
                steps = _steps(member.filename)
                if steps and not is_hidden(steps[-1]) and not any(map(is_skipped_folder, steps[:-1])):
                    files[steps] = _leaf(path, steps, index, member, topic)
    except Unreadable as error:
        return Tree(unreadable=str(error))
    top = _only_folder(files)
    venvs = {steps[:-1] for steps in files if steps[-1] == VENV_MARK}
    return Tree(tuple(leaf for steps, leaf in sorted(files.items()) if not _in_venv(steps, venvs, top)))


def _steps(name: str) -> Steps:
    """Where a member lies in the zip; () for a folder and for one that would land outside.

    A step ``..`` stays: it is a hidden folder like any other whose name starts with a dot.
    """
    name = name.replace("\\", "/")  # some Windows programs write these
    steps = tuple(step for step in name.split("/") if step not in ("", "."))
    outside = name.startswith("/") or name[1:2] == ":"
    return () if outside or name.endswith("/") or len(steps) > MAX_DEPTH else steps


def _only_folder(files: dict[Steps, Leaf]) -> Steps:
    """The folder that everything lies in; () when there is more than one thing at the top."""
    tops = {steps[0] for steps in files}
    return tuple(tops) if len(tops) == 1 and all(len(steps) > 1 for steps in files) else ()


def _in_venv(steps: Steps, venvs: set[Steps], top: Steps) -> bool:
    """Whether a member is part of a virtual environment; one at the top takes only its own folders."""
    if not venvs:
        return False
    for depth in range(len(steps)):
        if steps[:depth] in venvs and (depth > len(top) or steps[depth].lower() in VENV_PARTS):
            return True
    return False


def _leaf(path: str, steps: Steps, index: int, member: zipfile.ZipInfo, topic: str) -> Leaf:
    link = stat.S_ISLNK(member.external_attr >> 16)
    trouble = "is a link in the zip and is not followed" if link else ""
    return Leaf(steps, rank(steps[-1], topic), partial(_load, path, index), trouble)


def _load(path: str, index: int, limit: int) -> bytes:
    """The bytes of one member, unpacked in pieces and no further than ``limit``."""
    with _members(path) as (archive, members):
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
        except Exception as error:  # as above: a damaged member may raise almost anything
            raise Unreadable("is damaged in the zip") from error
    return capped(bytes(data), limit)
