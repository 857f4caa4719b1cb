"""What a learning management system hands out: a zip of a whole class, or a folder with one folder in it."""

from __future__ import annotations

import os
import stat
import tempfile
import zipfile
from collections.abc import Iterator
from contextlib import contextmanager
from functools import partial
from pathlib import Path

from autograder.intake.archive import MAX_DEPTH, members_of
from autograder.intake.errors import IntakeError, Unreadable
from autograder.intake.files import MB, open_regular, reason
from autograder.intake.gradescope import METADATA
from autograder.intake.names import ARCHIVE, SOURCES, is_hidden, is_skipped_folder, shown, suffix_of

LARGEST = 8_000 * MB  # of all files in a class's zip together, unpacked
_CHUNK = 1 << 20


@contextmanager
def opened(path: Path) -> Iterator[Path]:
    """Yield the folder of submissions at ``path``. A zip is unpacked into a temporary folder meanwhile.

    A zip or folder that holds nothing but the folder of a class stands for that folder. Raises ``IntakeError``.
    """
    if path.is_dir() or suffix_of(path.name) != ARCHIVE:
        yield innermost(path)
        return
    with tempfile.TemporaryDirectory(prefix="attngrade-class-") as folder:
        try:
            _unpack(path, Path(folder))
        except Unreadable as error:
            raise IntakeError(f"{shown(str(path), 300)} {error}: download it again") from error
        except OSError as error:
            raise IntakeError(f"{shown(str(path), 300)} cannot be unpacked: {reason(error)}") from error
        yield innermost(Path(folder))


def innermost(folder: Path) -> Path:
    """Return the folder of a class in ``folder``: itself, unless all that it holds is one folder with a class in it.

    There may be several such folders in each other.
    """
    inner = _only_folder(folder)
    for _ in range(MAX_DEPTH):
        if inner is None or _is_class(inner):
            break
        inner = _only_folder(inner)
    return folder if inner is None or not _is_class(inner) else inner


def _only_folder(folder: Path) -> Path | None:
    visible = [name for name in _names(folder) if not is_skipped_folder(name)]
    only = folder / visible[0] if len(visible) == 1 else None
    return only if only is not None and only.is_dir() and not only.is_symlink() else None


def _is_class(folder: Path) -> bool:
    """Return whether a folder holds several students: a Gradescope export, or several folders and no work beside them.

    One student's folder may hold several folders too, but then it does not stand alone.
    """
    names = _names(folder)
    if METADATA in names:
        return True
    folders = [name for name in names if (folder / name).is_dir() and not is_skipped_folder(name)]
    others = {name for name in names if not is_hidden(name)} - set(folders)
    zips = [name for name in others if suffix_of(name) == ARCHIVE]
    work = [name for name in others if suffix_of(name) in SOURCES]
    return not work and len(folders) + len(zips) > 1


def _names(folder: Path) -> list[str]:
    try:
        return os.listdir(folder)
    except OSError:
        return []


def _unpack(path: Path, folder: Path) -> None:
    """Unpack a class's zip. Links, and names that lead outside, are left out. Raises ``Unreadable`` or OSError."""
    left = LARGEST
    with members_of(partial(open_regular, os.path.realpath(path))) as (archive, members):
        for member in members:
            if (target := _target(folder, member)) is not None:
                target.parent.mkdir(parents=True, exist_ok=True)
                left -= _write(archive, member, target, left)


def _target(folder: Path, member: zipfile.ZipInfo) -> Path | None:
    """Return where a member goes; None for what is not unpacked."""
    steps = [step for step in member.filename.replace("\\", "/").split("/") if step not in ("", ".")]
    linked = stat.S_ISLNK(member.external_attr >> 16)
    hidden = any(is_skipped_folder(step) for step in steps[:-1])
    if member.is_dir() or linked or hidden or not steps or ".." in steps or len(steps) > MAX_DEPTH:
        return None
    return folder.joinpath(*steps)


def _write(archive: zipfile.ZipFile, member: zipfile.ZipInfo, target: Path, most: int) -> int:
    """Write a member and return its size. Raises ``Unreadable`` where it is damaged, or larger than ``most``."""
    size = 0
    try:
        with archive.open(member) as source, target.open("wb") as file:
            while piece := source.read(_CHUNK):
                size += len(piece)
                if size > most:
                    raise Unreadable(f"holds more than {LARGEST / MB:g} MB; give the folder that it unpacks to")
                file.write(piece)
    except (zipfile.BadZipFile, RuntimeError, NotImplementedError, EOFError, ValueError) as error:
        raise Unreadable(f"is damaged: {shown(member.filename)} cannot be unpacked") from error
    return size
