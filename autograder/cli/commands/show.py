"""``show``: one student's result in full, or its history."""

from pathlib import Path

import click
from rich.text import Text

from autograder import model
from autograder.cli import options, students
from autograder.cli.output import print_json
from autograder.model.text import harmless, visible
from autograder.report import terminal
from autograder.report.summary import lost, number
from autograder.runs import history, results
from autograder.runs.journal import JournalError


@click.command()
@click.argument("out", type=options.PATH)
@click.argument("student")
@click.option("--history", "with_history", is_flag=True, help="List the grades that a regrade has replaced.")
@options.json
def show_command(out: Path, student: str, with_history: bool, as_json: bool) -> int:
    """Show one student's result from a graded folder."""
    names = students.spellings(student)
    if with_history:
        _show_history(out, names, as_json)
    else:
        _show_result(out, names, as_json)
    return 0


def _show_result(out: Path, names: tuple[str, ...], as_json: bool) -> None:
    folder = out / "results"
    if not folder.is_dir():
        raise click.UsageError(f"{out} holds no results; it must be the --out folder of attngrade grade")
    paths = [folder / f"{results.file_name(name)}.json" for name in names]
    path = next((path for path in paths if path.exists()), None)
    if path is None:
        raise _unknown(folder, names[0])
    try:
        grade = results.read_result(path)
    except results.ResultError as error:
        raise click.UsageError(str(error)) from error
    if as_json:
        print_json(grade)
        return
    console = terminal.console()
    console.print(Text.assemble((visible(grade.student), "bold"), f"  {grade.assignment}: {_score(grade)}"))
    if grade.message:
        console.print(Text(harmless(grade.message), "yellow"))
    terminal.checks(console, grade)
    terminal.failures(console, grade, most=None)


def _show_history(out: Path, names: tuple[str, ...], as_json: bool) -> None:
    """Print the grades before each regrade, and the present one."""
    try:
        with history.untouched(out) as journal:
            row = next((row for name in names if (row := history.row(journal, name))), None)
            earlier = history.history(journal, row.student) if row else []
    except JournalError as error:
        raise click.UsageError(str(error)) from error
    if row is None:
        raise _unknown(out / "results", names[0])
    if as_json:
        print_json({"student": row.student, "history": earlier, "now": row.grade})
        return
    for when, grade in (*((f"until {one.at}", one.grade) for one in earlier), ("now", row.grade)):
        failed = ", ".join(check.id for check in lost(grade))
        click.echo(harmless(f"{when}: {_score(grade)}" + (f"; failed: {failed}" if failed else "")))


def _score(grade: model.Grade) -> str:
    return f"{number(grade.score)} of {number(grade.max_score)} points, {grade.status}"


def _unknown(folder: Path, student: str) -> click.UsageError:
    known = [path.stem for path in folder.glob("*.json")]
    return students.unknown(student, known, f"no result of {student!r}")
