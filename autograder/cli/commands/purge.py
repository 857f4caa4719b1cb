"""``purge``: remove one student from a graded folder."""

from pathlib import Path

import click

from autograder.cli import options
from autograder.cli.errors import usage_errors
from autograder.model.text import harmless, unescaped
from autograder.report.web import write_report
from autograder.runs import anonymity, history, purge
from autograder.runs.lock import LockError


@click.command()
@click.argument("out", type=options.FOLDER)
@click.argument("student")
@click.option("--yes", is_flag=True, help="Remove what the command lists; without it, nothing is removed.")
def purge_command(out: Path, student: str, yes: bool) -> int:
    """Remove every trace of one student from a graded folder."""
    if not out.is_dir():
        raise click.UsageError(f"{out} is no folder; it must be the --out folder of attngrade grade")
    with usage_errors(LockError):
        with history.untouched(out) as journal:
            submissions = journal.noted("submissions") or "the folder that was graded"
        name = _known(out, student)
        found = purge.purge(out, name, write_report) if yes else purge.find(out, name)
    click.echo(f"{out}: {'removed' if yes else 'this would remove'} {harmless(name)!r}")
    for traces in found:
        for line in traces.lines(out):
            click.echo(harmless(f"  {line}"))
    click.echo("Not touched, because it lies elsewhere; remove it by hand:")
    for place in _elsewhere(out, submissions):
        click.echo(harmless(f"  {place}"))
    if not yes:
        raise click.UsageError("nothing has been removed; to remove the lines above, add --yes")
    return 0


def _known(out: Path, student: str) -> str:
    """Return the id under which ``out`` knows a student: as it is given, or as grades.csv shows it."""
    bare = student.removeprefix("'")
    found = {name: purge.find(out, name) for name in (student, bare, unescaped(bare), unescaped(student))}
    known = [name for name, traces in found.items() if any(one.files or one.rows for one in traces)]
    for name in (*known, *(name for name, traces in found.items() if traces)):  # a row of grades.csv fits two ids
        return name
    raise click.UsageError(f"{out} holds nothing of {student!r}; write the id as it stands in grades.csv")


def _elsewhere(out: Path, submissions: str) -> list[str]:
    """Return the places outside ``out`` that may hold something of a student."""
    key = anonymity.key_file(out)
    return [
        *([f"the student's line in {key}"] if key.exists() else []),
        f"the submission in {submissions}: while it is there, grade --resume grades it again",
        "rosters, and exports that --output wrote elsewhere",
        "the gradebook of your LMS, of nbgrader or of otter",
        f"backups and copies of {out}, and logs that you kept",
    ]
