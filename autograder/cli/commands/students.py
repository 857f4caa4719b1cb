"""``students``: the students' edition, in a folder to host."""

from pathlib import Path

import click

from autograder.assignments import places
from autograder.cli import options
from autograder.cli.checkout import ROOT, require_checkout
from autograder.cli.errors import usage_errors, writing_to
from autograder.integrations import edition


@click.command()
@click.argument("out", type=options.FOLDER)
@options.address
def students_command(out: Path, address: str | None) -> int:
    """Make what students install, in a folder to host.

    The folder OUT gets the package, a page with the lines that install it, the assignments' files and checksums.
    The package carries the assignments of the course that --course names.

    It remembers the address for the texts that students get later."""
    require_checkout("students")
    with usage_errors(edition.EditionError, extra="instructor"):
        from autograder.cli import course_builds
        from autograder.instructor.release import students_folder

        where = edition.address(address)
        for assignment, folder in places.of_courses().items():
            if old := course_builds.outdated(assignment):
                raise click.UsageError(
                    f"{next(iter(old))} is not up to date; run: attngrade author build {assignment} "
                    f"--course {folder.parent}"
                )
    with usage_errors(students_folder.FolderError, extra="instructor"), writing_to(out):
        lines = edition.torch_line(), edition.install_lines(where)
        wheel = students_folder.make(out, ROOT, *lines, lambda notebook: edition.in_notebook(notebook, where))
    click.echo(f"{wheel}: the students' edition, without hidden checks, references and solutions")
    click.echo(f"{out / students_folder.PAGE}: the page for students; host the whole folder {out}")
    if not where:
        click.echo("No address is set. Once you know it: attngrade students OUT --address https://…")
        return 0
    if address:
        file = edition.remembered_in()
        with writing_to(file):
            edition.remember(where)
        click.echo(f"{file}: remembers the address for attngrade new, nbgrader init and otter build")
    click.echo("Students install it with:")
    for line in edition.install_lines(where):
        click.echo(f"  {line}")
    return 0
