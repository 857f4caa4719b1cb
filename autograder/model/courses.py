"""What all rooms know of a course's own assignments."""

from __future__ import annotations

from pathlib import Path

COURSE_VARIABLE = "ATTNGRADE_COURSE"  # the folders that hold them, separated as in PATH
WHERE = (
    f"for one of a course's own, install the course's attngrade, or name its folder with --course or {COURSE_VARIABLE}"
)


def not_here(name: str) -> str:
    """Return the message about the name of an assignment that this installation does not find."""
    return f"there is no assignment {name!r} here; {WHERE}"


class CourseError(Exception):
    """A course's folder can't be used. The message says what to do.

    ``file`` and ``line`` are where, if it is in a file of an assignment; a line of 0 is none.
    """

    def __init__(self, text: str, file: Path | None = None, line: int = 0) -> None:
        where = f"{file}, line {line}: " if line else f"{file}: " if file else ""
        super().__init__(f"{where}{text}")
        self.text, self.file, self.line = text, file, line
