"""``author build``: what students get of a course's assignment, and the values that it ships."""

import click

from autograder.cli import course_watch, options
from autograder.cli.course_assignments import chosen
from autograder.cli.errors import usage_errors, writing_to
from autograder.runs.results import write_whole


@click.command()
@options.names
@options.watch
def build_command(names: tuple[str, ...], watch: bool) -> int:
    """Make what students get of a course's assignments.

    It makes the students' files, the shipped values and the causes.
    """
    if watch:
        return course_watch.watch(names, ("build",))
    for assignment in chosen(names):
        with usage_errors(extra="instructor"):
            from autograder.cli import course_builds

            changed = course_builds.outdated(assignment)
        for path, data in changed.items():
            with writing_to(path):
                path.parent.mkdir(parents=True, exist_ok=True)
                write_whole(path, data)
            click.echo(f"written: {path}")
        if not changed:
            click.echo(f"{assignment}: everything is up to date")
    return 0
