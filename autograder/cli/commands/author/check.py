"""``author check``: what is wrong with a course's assignment, with file and line."""

import click

from autograder.assignments import places
from autograder.cli import course_watch, options
from autograder.cli.course_assignments import chosen
from autograder.cli.errors import usage_errors
from autograder.grading.seed import course_seed


@click.command()
@options.names
@options.watch
def check_command(names: tuple[str, ...], watch: bool) -> int:
    """Look for mistakes in a course's assignments.

    It looks at files, points, ids, leaks, and what grading shows. The solution must get all points. The skeleton, an
    empty file and zeros must get none. With --watch it builds first.
    """
    if watch:
        return course_watch.watch(names, ("build", "check"))
    wrong = 0
    for assignment in chosen(names):
        with usage_errors(extra="instructor"):
            from autograder.cli import authoring, course_builds

            found = list(authoring.problems_of(assignment, course_seed(None)))
        for problem in found:
            click.echo(f"{assignment}/{problem}")
        if not found:
            was_built = places.built(assignment, "students").is_dir()
            is_old = was_built and course_builds.outdated(assignment)
            also = f"; what students get is out of date: attngrade author build {assignment}" if is_old else ""
            click.echo(f"{assignment}: nothing is wrong{also}")
        wrong += len(found)
    return 1 if wrong else 0
