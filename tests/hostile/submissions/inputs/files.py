"""Things that are no files, folders that are no folders of work, and such as look like somebody else's."""

from __future__ import annotations

import os
import stat
from collections.abc import Callable
from pathlib import Path

from .base import SOLUTION, Bad, Plant, fine, inside, lone, several

MISSING = "expected bahdanau.py or bahdanau.ipynb"
GB = 1 << 30
CLOSED_TO_ROOT = os.geteuid() != 0  # root reads what is forbidden to others


def link(target: str, name: str = "bahdanau.py") -> Plant:
    """A link in the student's folder."""

    def plant(folder: Path, student: str) -> None:
        (folder / student).mkdir(exist_ok=True)
        (folder / student / name).symlink_to(target)

    return plant


def lone_link(target: str, suffix: str = ".py") -> Plant:
    """A link beside the other students' files."""
    return lambda folder, student: (folder / (student + suffix)).symlink_to(target.format(student))


def node(kind: int, name: str = "bahdanau.py", device: int = 0) -> Plant:
    """A FIFO, a socket, or (where one may make it) a device."""

    def plant(folder: Path, student: str) -> None:
        (folder / student).mkdir()
        try:
            os.mknod(folder / student / name, kind | 0o666, device)
        except PermissionError:  # only root makes devices; a FIFO opens as badly
            os.mkfifo(folder / student / name)

    return plant


def folders(*names: str) -> Plant:
    """Empty folders in the student's."""
    return lambda folder, student: [
        os.makedirs(folder / student / name, exist_ok=True) for name in ("", *names)
    ]


def sparse(name: str) -> Plant:
    """5 GB on paper and nothing on the disk."""

    def plant(folder: Path, student: str) -> None:
        inside(name, b"")(folder, student)
        os.truncate(folder / student / name, 5 * GB)

    return plant


def crowd(count: int) -> Plant:
    """Files with names of no assignment."""

    def plant(folder: Path, student: str) -> None:
        (folder / student).mkdir(exist_ok=True)
        for number in range(count):
            (folder / student / f"part{number:04}.py").touch()

    return plant


def closed(plant: Plant, what: Callable[[Path], Path], mode: int = 0) -> Plant:
    """Something that the grading user may not read, or (a folder) only list."""

    def close(folder: Path, student: str) -> None:
        plant(folder, student)
        what(folder / student).chmod(mode)

    return close


def of_their_own(status: str, says: str) -> tuple[str, str, float]:
    """What must come of something closed: to root it is open."""
    return (status, says, 0) if CLOSED_TO_ROOT else ("graded", "", 100)


def deep() -> Plant:
    return inside("d/" * 400 + "bahdanau.py")


LEAVES = "is a link that leaves the folder and is not followed"
NO_FILE = "is not a regular file"

INPUTS: dict[str, Bad] = {
    "link-to-passwd": Bad(link("/etc/passwd"), "missing", LEAVES),
    "link-to-zeros": Bad(link("/dev/zero"), "missing", LEAVES),
    "link-to-own-memory": Bad(link("/proc/self/mem"), "missing", LEAVES),
    "link-to-a-neighbour": Bad(link("../honest-1.py"), "missing", LEAVES),
    "link-to-the-class": Bad(link("..", "more"), "missing", MISSING),
    "link-to-everything": Bad(link("/", "more"), "missing", MISSING),
    "link-to-itself": Bad(link("bahdanau.py"), "missing", "is a link that leads to no file"),
    "link-to-nothing": Bad(link("nothing"), "missing", "is a link that leads to no file"),
    "link-of-10-kb": Bad(link("./" * 2000 + "x"), "missing", "is a link that leads to no file"),
    "link-in-a-ring": Bad(several(link("b.py"), link("bahdanau.py", "b.py")), "missing", "leads to no file"),
    "link-from-a-notebook": Bad(link("/etc/passwd", "bahdanau.ipynb"), "missing", LEAVES),
    "lone-link-to-itself": Bad(lone_link("{}.py"), "missing", "is a link and is not followed"),
    "lone-link-to-zeros": Bad(lone_link("/dev/zero"), "missing", "is a link and is not followed"),
    "lone-link-to-a-neighbour": Bad(lone_link("honest-1.py"), "missing", "is a link and is not followed"),
    "lone-link-zip": Bad(lone_link("/etc/passwd", ".zip"), "missing", "is a link and is not followed"),
    "lone-link-to-a-folder": Bad(lone_link("/", ""), "missing", "is a link and is not followed"),
    "fifo": Bad(node(stat.S_IFIFO), "unreadable", NO_FILE),
    "fifo-notebook": Bad(node(stat.S_IFIFO, "bahdanau.ipynb"), "unreadable", NO_FILE),
    "socket": Bad(node(stat.S_IFSOCK), "unreadable", NO_FILE),
    "device-zero": Bad(node(stat.S_IFCHR, device=os.makedev(1, 5)), "unreadable", NO_FILE),
    "device-terminal": Bad(node(stat.S_IFCHR, device=os.makedev(5, 0)), "unreadable", NO_FILE),
    "device-disk": Bad(node(stat.S_IFBLK, device=os.makedev(7, 0)), "unreadable", NO_FILE),
    "lone-fifo": Bad(lambda folder, student: os.mkfifo(folder / f"{student}.py"), "unreadable", NO_FILE),
    "lone-fifo-zip": Bad(lambda folder, student: os.mkfifo(folder / f"{student}.zip"), "unreadable", NO_FILE),
    "folder-for-a-file": Bad(folders("bahdanau.py"), "missing", f"found no files; {MISSING}"),
    "folder-for-a-notebook": Bad(folders("bahdanau.ipynb/bahdanau.py"), "missing", "found no files"),
    "folder-empty": Bad(folders(), "missing", f"found no files; {MISSING}"),
    "folder-of-folders": Bad(folders("a/b/c", "a/d", "bahdanau"), "missing", "found no files"),
    "folder-of-2000-files": Bad(crowd(2000), "missing", "and 1995 more"),
    "folder-of-2000-files-and-the-work": fine(several(inside("bahdanau.py"), crowd(2000))),
    "folder-400-deep": fine(deep()),
    "two-look-alikes": Bad(
        several(inside("bahdanau (1).py"), inside("Bahdanau.py")), "missing", "keep one, and name it so"
    ),
    "another-name": fine(inside("hw1.py")),
    "another-name-without-work": Bad(inside("hw1.py", b"x = 1"), "missing", f"found hw1.py; {MISSING}"),
    "another-assignment": Bad(inside("luong.py"), "missing", f"found luong.py; {MISSING}"),
    "5-gb-script": Bad(sparse("bahdanau.py"), "unreadable", "larger than 10 MB"),
    "5-gb-notebook": Bad(sparse("bahdanau.ipynb"), "unreadable", "larger than 100 MB"),
    "5-gb-zip": Bad(
        lambda folder, student: (
            lone(".zip", b"")(folder, student),
            os.truncate(folder / f"{student}.zip", 5 * GB),
        ),
        "unreadable",
        "is not a zip archive",
    ),
    "closed-file": Bad(
        closed(inside("bahdanau.py"), lambda own: own / "bahdanau.py"),
        *of_their_own("unreadable", "permission"),
    ),
    "closed-folder": Bad(
        closed(inside("bahdanau.py"), lambda own: own), *of_their_own("unreadable", "permission")
    ),
    "folder-that-can-only-be-listed": Bad(
        closed(inside("bahdanau.py"), lambda own: own, 0o444), *of_their_own("unreadable", "permission")
    ),
    "closed-zip": Bad(
        closed(lone(".zip", b""), lambda own: own.with_name(own.name + ".zip")),
        "unreadable",
        "permission" if CLOSED_TO_ROOT else "is not a zip archive",
    ),
    "looks-like-a-whole-class": fine(
        several(inside("bahdanau.py"), inside("submission_metadata.yml", b"{"), folders("submission_1"))
    ),
    "looks-like-our-output": fine(
        several(inside("bahdanau.py"), inside("journal.sqlite", b"{"), folders("results", "report"))
    ),
    "looks-like-our-output-alone": Bad(
        several(inside("journal.sqlite", b""), inside(".lock", b"folder 2\n"), folders("results")),
        "missing",
        "found journal.sqlite; expected bahdanau.py",
    ),
    "looks-like-an-environment": fine(
        several(inside("bahdanau.py"), inside("pyvenv.cfg", b""), inside("lib/bahdanau.py", b"1/0"))
    ),
    "looks-like-the-grader": fine(
        several(
            inside("bahdanau.py"),
            *(inside(name, b"1/0") for name in ("torch.py", "conftest.py", "autograder.py")),
        )
    ),
    "hidden-work": Bad(inside(".bahdanau.py"), "missing", "found no files"),
    "names-that-are-no-text": fine(inside(b"\xff\xfe\x1b[2J.py")),
    "names-that-are-no-text-without-work": Bad(inside(b"\xff\xfe\x1b[2J.py", b""), "missing", "found "),
    "file-and-folder": fine(several(inside("bahdanau.py"), lone(".py", SOLUTION + b"\n1/0"))),
}
