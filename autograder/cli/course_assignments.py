"""The assignments that an author's command is about."""

from collections.abc import Sequence

import click

from autograder.assignments import NAMES, places
from autograder.course.settings import unknown

NONE = "there is no assignment of a course's own here; name its folder with --course, or make one: attngrade author new"


def chosen(names: Sequence[str]) -> tuple[str, ...]:
    """Return the assignments of a course with these names, or all. Raises ``click.UsageError``."""
    own = [name for name in NAMES if name in places.of_courses()]
    if not own:
        raise click.UsageError(NONE)
    for name in names:
        if name not in own:
            raise click.UsageError(unknown(name, own, "assignment of a course's own"))
    return tuple(names) or tuple(own)
