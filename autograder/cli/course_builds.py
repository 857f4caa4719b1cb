"""What a build of a course's assignment has to write. Importing this needs the references."""

from pathlib import Path

from autograder.cli import shipped_values
from autograder.instructor.release import built


def outdated(assignment: str) -> dict[Path, bytes]:
    """Return the files that are missing or other than a build makes them: path -> content. Raises CourseError."""
    made = built.files(assignment).items()
    changed = {path: data for path, data in made if not path.is_file() or path.read_bytes() != data}
    return changed | shipped_values.outdated(assignment)
