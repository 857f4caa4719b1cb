"""Whole classes that cannot be graded: the call is wrong (exit status 2), and one line says what, where and what to do;
and submissions that change between the moment they are found and the moment they are read."""

from __future__ import annotations

import os
import shutil
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

from .base import SOLUTION

METADATA = "submission_metadata.yml"


@dataclass(frozen=True)
class BadClass:
    """``build`` makes ``place / "subs"``, and nothing else; ``says`` is a part of the line on stderr."""

    build: Callable[[Path], object]
    says: str
    options: tuple[str, ...] = ()


def holding(*names: str, data: bytes = b"") -> Callable[[Path], object]:
    """A folder with files in it, and folders where a name ends in a slash."""

    def build(subs: Path) -> None:
        subs.mkdir()
        for name in names:
            (subs / name).parent.mkdir(exist_ok=True)
            if name.endswith("/"):
                (subs / name).mkdir()
            else:
                (subs / name).write_bytes(data)

    return build


def metadata(data: bytes) -> Callable[[Path], object]:
    """A Gradescope export with these metadata."""
    return holding("submission_1/", METADATA, data=data)


def with_node(make: Callable[[Path], object]) -> Callable[[Path], object]:
    """An export whose metadata are no file."""
    return lambda subs: (subs.mkdir(), make(subs / METADATA))


AGAIN = "download the export again"
CLASSES: dict[str, BadClass] = {
    "missing": BadClass(lambda subs: None, "does not exist: give the folder that holds the submissions"),
    "empty": BadClass(holding(), "holds no submissions: expected"),
    "a-file": BadClass(lambda subs: subs.write_bytes(SOLUTION), "is not a folder or a zip: give the folder"),
    "a-zip": BadClass(
        lambda subs: subs.write_bytes(b"PK\5\6" + bytes(18)), "is not a folder or a zip: give the folder"
    ),
    "a-fifo": BadClass(os.mkfifo, "is not a folder or a zip"),
    "a-link-to-itself": BadClass(lambda subs: subs.symlink_to(subs), "is not a folder or a zip"),
    "a-link-to-nothing": BadClass(lambda subs: subs.symlink_to("nothing"), "is not a folder or a zip"),
    "only-junk": BadClass(holding(".DS_Store", "notes.txt", "__MACOSX/", "venv/"), "holds no submissions"),
    "another-layout": BadClass(
        holding("ana/"), "holds no submissions: expected files named", ("--layout", "canvas")
    ),
    "an-export-in-a-folder": BadClass(
        holding(f"export/{METADATA}", data=b"{}"), "holds no submissions"
    ),
    "metadata-broken": BadClass(metadata(b"a: [1\nb: }"), AGAIN),
    "metadata-not-utf-8": BadClass(metadata(b"\xff\xfe\xff"), AGAIN),
    "metadata-with-nulls": BadClass(metadata(b"a: \0"), AGAIN),
    "metadata-deep": BadClass(metadata(b"[" * 50_000), AGAIN),
    "metadata-deep-by-indent": BadClass(metadata(b"- " * 20_000), AGAIN),
    "metadata-a-list": BadClass(metadata(b"- 1"), "does not list submissions by name"),
    "metadata-a-folder": BadClass(with_node(lambda path: path.mkdir()), AGAIN),
    "metadata-a-fifo": BadClass(with_node(os.mkfifo), "is not a regular file: " + AGAIN),
    "metadata-a-link": BadClass(with_node(lambda path: path.symlink_to("/dev/zero")), AGAIN),
}


def replaced(by: Callable[[Path], object]) -> Callable[[Path], object]:
    """The file, or the folder, is gone, and something else is in its place."""

    def change(path: Path) -> None:
        if path.is_dir():
            shutil.rmtree(path)
        else:
            path.unlink()
        by(path)

    return change


# what is done to the student's own file -> the status that must come of it
CHANGES: dict[str, tuple[Callable[[Path], object], str]] = {
    "removed": (replaced(lambda path: None), "missing"),
    "a-link-now": (replaced(lambda path: path.symlink_to("/etc/passwd")), "missing"),
    "a-ring-now": (replaced(lambda path: path.symlink_to(path)), "missing"),
    "a-fifo-now": (replaced(os.mkfifo), "unreadable"),
    "a-folder-now": (replaced(os.mkdir), "missing"),
    "rewritten": (lambda path: path.write_bytes(b"x = 1\n"), "ready"),
    "emptied": (lambda path: os.truncate(path, 0), "ready"),
    "5-gb-now": (lambda path: os.truncate(path, 5 << 30), "unreadable"),
    "closed-now": (lambda path: path.chmod(0), "unreadable" if os.geteuid() else "ready"),
}
