"""``author new``: the folder of a new assignment."""

from pathlib import Path

import click

from autograder.assignments import NAMES, places
from autograder.cli import options
from autograder.cli.errors import usage_errors, writing_to


@click.command()
@click.argument("name")
@click.argument("course", type=options.FOLDER, default=Path())
def new_command(name: str, course: Path) -> int:
    """Make a folder with a small assignment that works.

    Change it piece by piece. COURSE is the folder that holds the course's assignments [default: this one]. Nothing is
    overwritten.
    """
    with usage_errors(extra="instructor"):
        from autograder.instructor.authoring import first
    if not places.NAME.fullmatch(name):
        raise click.UsageError(f"{name!r} is no name for an assignment; use lower-case letters, digits and _")
    folder = course / name
    if name in NAMES or folder.exists():
        raise click.UsageError(f"there is a {name} already; choose another name")
    with writing_to(folder):
        for path, text in first.files(name).items():
            (folder / path).parent.mkdir(parents=True, exist_ok=True)
            (folder / path).write_text(text, encoding="utf-8")
            click.echo(f"written: {folder / path}")
    click.echo(f"Next: attngrade author build --course {course}, then attngrade author check --course {course}")
    return 0
