"""The known mistakes of a course's assignment, with their words."""

from autograder.assignments import declarations, places
from autograder.assignments.kit.hidden.mistakes import Mistake


def mistakes(assignment: str) -> tuple[Mistake, ...]:
    """Return the known mistakes of an assignment; () without a ``mistakes.py``. Raises CourseError."""
    if not places.place(assignment).texts.joinpath("mistakes.py").is_file():
        return ()
    module = places.imported(places.module_name(assignment, "hidden.mistakes"))
    return declarations.mistakes(module, Mistake)
