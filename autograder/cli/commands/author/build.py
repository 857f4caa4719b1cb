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

    It makes the students' files, the shipped values and the causes. An assignment that can't be built is left as it is,
    and what to mend is listed.
    """
    if watch:
        return course_watch.watch(names, ("build",))
    unbuilt = 0
    for assignment in chosen(names):
        with usage_errors(extra="instructor"):
            from autograder.cli import course_builds
            from autograder.instructor.authoring import problems

            if wrong := [one for one in problems.blocking(assignment) if one.blocks]:
                click.echo("\n".join(f"{assignment}/{one}" for one in wrong), err=True)
                unbuilt += 1
                continue
            changed = course_builds.outdated(assignment)
        for path, data in changed.items():
            with writing_to(path):
                path.parent.mkdir(parents=True, exist_ok=True)
                write_whole(path, data)
            click.echo(f"written: {path}")
        if not changed:
            click.echo(f"{assignment}: everything is up to date")
    return 1 if unbuilt else 0
