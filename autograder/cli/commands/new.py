"""``new``: a folder with an assignment's files."""

import os
import shlex
import subprocess
from collections.abc import Mapping
from pathlib import Path

import click

from autograder.assignments.own_tokens import has_token
from autograder.cli import options
from autograder.cli.checkout import released
from autograder.cli.errors import usage_errors, writing_to
from autograder.model import tokens


@click.command()
@options.assignment_argument
@click.argument("directory", type=options.FOLDER, required=False, metavar="[DIR]")
@click.option("--github", is_flag=True, help="Add a workflow that runs the public checks on every push to GitHub.")
@click.option("--github-plain", "plain", is_flag=True, hidden=True)  # the same; to be removed after 0.2
@click.option("--classroom50", "for_classroom50", is_flag=True, help="Add the autograder.py for Classroom 50.")
@click.option("--student", metavar="ID", help="Write this student's token into the files, for numbers of their own.")
@options.token_key("Key file of the course, which signs the token of --student.", "--key")
@options.address
def new_command(
    assignment: str,
    directory: Path | None,
    github: bool,
    plain: bool,
    for_classroom50: bool,
    student: str | None,
    token_key: bytes,
    address: str | None,
) -> int:
    """Copy an assignment's files into DIR.

    Without DIR it makes a folder with the name of the assignment. It never overwrites a file."""
    if token_key and student is None:
        raise click.UsageError("--key signs the token of a student; add --student ID")
    if student is not None and not (student and has_token(assignment)):
        raise click.UsageError(f"--student: {assignment} has no token" if student else "--student needs an ID")
    from autograder.integrations import classroom50, edition
    from autograder.integrations import github as workflows

    folder = directory or Path(assignment)
    files = {file.name: file.read_bytes() for file in sorted(released(assignment).iterdir()) if file.is_file()}
    with usage_errors(edition.EditionError, classroom50.Classroom50Error):
        where = edition.address(address)
        for name in files:
            if name.endswith(".ipynb"):
                files[name] = edition.in_notebook(files[name], where)
        if student is not None:
            files = with_token(files, tokens.make(assignment, student, token_key))
        if github or plain:
            files[workflows.NAME] = workflows.workflow(assignment, where).encode()
        if for_classroom50:
            files[classroom50.NAME] = classroom50.program(assignment, where).encode()
    if existing := [name for name in files if (folder / name).exists()]:
        raise click.UsageError(f"{folder} already has {', '.join(existing)}; name another folder")
    with writing_to(folder):
        for name, data in files.items():
            (folder / name).parent.mkdir(parents=True, exist_ok=True)
            (folder / name).write_bytes(data)
    click.echo(f"{folder}: {', '.join(files)}")
    click.echo(f"Read README.md. Work in {assignment}.py or in {assignment}.ipynb, and delete the other:")
    click.echo(
        f"if you hand in both, only the .py counts. Check as often as you like: attngrade check {_quoted(folder)}"
    )
    return 0


def with_token(files: Mapping[str, bytes], token: str) -> dict[str, bytes]:
    """Return an assignment's files with a token in place of the empty one: in the script and in the notebook.

    In a notebook's JSON, quotes are escaped.
    """
    found = {}
    for name, data in files.items():
        if name.endswith((".py", ".ipynb")):
            for quote in (b'"', b'\\"'):
                empty, own = (b"TOKEN = " + quote + text + quote for text in (b"", token.encode()))
                data = data.replace(empty, own, 1) if data.count(empty) == 1 else data
        found[name] = data
    return found


def _quoted(path: Path) -> str:
    """Return a path as one word of a command line, for this system's shell."""
    return subprocess.list2cmdline([str(path)]) if os.name == "nt" else shlex.quote(str(path))
