"""``nbgrader init``: a course folder."""

from pathlib import Path

import click

from autograder.assignments import NAMES
from autograder.cli import options
from autograder.cli.checkout import ROOT, require_checkout
from autograder.cli.errors import usage_errors, writing_to
from autograder.integrations import edition


@click.command()
@click.argument("course", type=options.FOLDER)
@options.assignment("assignments", multiple=True, help="An assignment of the course; can be repeated [default: all].")
@click.option("--topic", "-t", "topics", multiple=True, type=options.ASSIGNMENT, hidden=True)  # to be removed after 0.2
@options.no_timing
@options.address
def init_command(
    course: Path, assignments: tuple[str, ...], topics: tuple[str, ...], no_timing: bool, address: str | None
) -> int:
    """Make the folder COURSE of nbgrader (in a checkout).

    It has nbgrader's configuration and the source notebooks.
    """
    chosen = (*assignments, *topics) or NAMES
    require_checkout("nbgrader init")
    with usage_errors(extra="instructor"):
        from autograder.integrations.nbgrader import course as courses
    with usage_errors(courses.CourseError, edition.EditionError, extra="instructor"), writing_to(course):
        install = edition.how_to_install(edition.address(address))
        for path in courses.init(course, chosen, ROOT, not no_timing, install):
            click.echo(f"written: {path}")
    click.echo(f"Now: cd {course} && nbgrader generate_assignment {chosen[0]}")
    return 0
