"""``new``: a folder with an assignment's files."""

from pathlib import Path

import click

from autograder.cli import options
from autograder.cli.checkout import released
from autograder.cli.errors import writing_to


@click.command()
@options.assignment_argument
@click.argument("directory", type=options.FOLDER, required=False, metavar="[DIR]")
@click.option("--github", "classroom", is_flag=True, help="Add a workflow for GitHub Classroom's autograding.")
@click.option("--github-plain", "plain", is_flag=True, help="Add a workflow that runs pytest on every push.")
def new_command(assignment: str, directory: Path | None, classroom: bool, plain: bool) -> int:
    """Copy an assignment's files into DIR.

    Without DIR it makes a folder with the name of the assignment. It never overwrites a file."""
    from autograder.integrations import github

    folder = directory or Path(assignment)
    files = {file.name: file.read_bytes() for file in sorted(released(assignment).iterdir()) if file.is_file()}
    if classroom:
        files[".github/workflows/classroom.yml"] = github.classroom(assignment).encode()
    if plain:
        files[".github/workflows/pytest.yml"] = github.plain(assignment).encode()
    if existing := [name for name in files if (folder / name).exists()]:
        raise click.UsageError(f"{folder} already has {', '.join(existing)}; name another folder")
    with writing_to(folder):
        for name, data in files.items():
            (folder / name).parent.mkdir(parents=True, exist_ok=True)
            (folder / name).write_bytes(data)
    click.echo(f"{folder}: {', '.join(files)}")
    click.echo(f"Read README.md. Work in {assignment}.py or in {assignment}.ipynb, and delete the other:")
    click.echo(f"if you hand in both, only the .py counts. Check as often as you like: attngrade check {folder}")
    return 0
