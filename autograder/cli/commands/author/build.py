"""``author build``: what students get of a course's assignment, and the values that it ships."""

import click

from autograder.cli import options, shipped_values
from autograder.cli.course_assignments import chosen
from autograder.cli.errors import usage_errors, writing_to
from autograder.runs.results import write_whole


@click.command()
@options.names
def build_command(names: tuple[str, ...]) -> int:
    """Make the students' files, the shipped values and the causes of a course's assignments."""
    for assignment in chosen(names):
        with usage_errors(extra="instructor"):
            from autograder.instructor.release import built

            files = built.files(assignment)
        changed = {path: data for path, data in files.items() if not path.is_file() or path.read_bytes() != data}
        changed |= shipped_values.outdated(assignment)
        for path, data in changed.items():
            with writing_to(path):
                path.parent.mkdir(parents=True, exist_ok=True)
                write_whole(path, data)
            click.echo(f"written: {path}")
        if not changed:
            click.echo(f"{assignment}: everything is up to date")
    return 0
