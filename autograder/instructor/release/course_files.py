"""What an edition carries of a course's own assignments: files below ``autograder/courses``.

The students' edition gets what students may read. A wheel lists its files in RECORD (PEP 427), so adding files to one
means writing it anew.
"""

from __future__ import annotations

import base64
import hashlib
import zipfile
from collections.abc import Mapping
from pathlib import Path

from autograder import model
from autograder.assignments import places
from autograder.assignments.course_modules import imported_by, with_imported

PREFIX = places.CARRIED.relative_to(places.PACKAGE.resolve().parents[1]).as_posix()  # in a wheel
DATE = (2020, 1, 1, 0, 0, 0)  # of all members that are added, so that equal files make equal wheels


def given(assignment: str) -> dict[str, Path]:
    """Return what students get of a course's assignment: names in its folder -> files.

    These are the public checks with the modules that they import, the hints, and all that a build made. Raises
    CourseError if the public checks import what students must not get.
    """
    folder = places.folder(assignment)
    modules = with_imported(folder / "checks.py")
    for path in modules:
        for name, line in imported_by(path):
            if name in places.SECRET:
                raise model.CourseError(
                    f"{path}, line {line}: it imports {name}, which students must not get; put what both need into a "
                    "module of its own"
                )
    files = [*modules, folder / "hints.toml", *sorted((folder / "built").rglob("*"))]
    return {path.relative_to(folder).as_posix(): path for path in files if path.is_file() and path.suffix != ".pyc"}


def carry(wheel: Path, files: Mapping[str, bytes]) -> None:
    """Add files to a wheel: names in the wheel -> content."""
    with zipfile.ZipFile(wheel) as archive:
        members = [(member, archive.read(member)) for member in archive.infolist()]
    lines = "".join(_recorded(name, data) for name, data in files.items()).encode()
    part = wheel.with_name(f"{wheel.name}.part")
    with zipfile.ZipFile(part, "w", zipfile.ZIP_DEFLATED) as archive:
        for member, data in members:
            is_record = member.filename.endswith(".dist-info/RECORD")
            archive.writestr(member, lines + data if is_record else data, zipfile.ZIP_DEFLATED)
        for name, data in files.items():
            added = zipfile.ZipInfo(name, DATE)
            added.external_attr = 0o100644 << 16
            archive.writestr(added, data, zipfile.ZIP_DEFLATED)
    part.replace(wheel)


def _recorded(name: str, data: bytes) -> str:
    digest = base64.urlsafe_b64encode(hashlib.sha256(data).digest()).rstrip(b"=").decode()
    return f"{name},sha256={digest},{len(data)}\n"
