"""``show``: one student's result in full, or its history."""

import difflib
from pathlib import Path

import click
import msgspec
from rich.text import Text

from autograder import model
from autograder.cli import options
from autograder.cli.errors import usage_errors
from autograder.cli.output import print_json
from autograder.model.text import harmless, unescaped, visible
from autograder.report import terminal
from autograder.report.summary import lost, number, score
from autograder.runs import anonymity, history, results
from autograder.runs.journal import JournalError


@click.command()
@click.argument("out", type=options.PATH)
@click.argument("student")
@click.option("--history", "with_history", is_flag=True, help="List the grades that a regrade has replaced.")
@options.key
@options.json
def show_command(out: Path, student: str, with_history: bool, key: Path | None, as_json: bool) -> int:
    """Show one student's result from a graded folder."""
    bare = student.removeprefix("'")
    names: tuple[str, ...] = (
        student,
        bare,
        unescaped(bare),
        unescaped(student),
    )  # as it is, and as grades.csv shows it
    with usage_errors(anonymity.KeyFileError):
        students = anonymity.read_key(key) if key else {}
    ids = {name: id for id, name in students.items()}
    names = (*(ids[name] for name in names if name in ids), *names)
    if with_history:
        _show_history(out, names, students, as_json)
    else:
        _show_result(out, names, students, as_json)
    return 0


def _show_result(out: Path, names: tuple[str, ...], students: dict[str, str], as_json: bool) -> None:
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
    grade = msgspec.structs.replace(grade, student=students.get(grade.student, grade.student))
    if as_json:
        print_json(grade)
        return
    console = terminal.console()
    console.print(Text.assemble((visible(grade.student), "bold"), f"  {grade.assignment}: {_score(grade)}"))
    if grade.message:
        console.print(Text(harmless(grade.message), "yellow"))
    terminal.checks(console, grade)
    terminal.failures(console, grade, most=None)


def _show_history(out: Path, names: tuple[str, ...], students: dict[str, str], as_json: bool) -> None:
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
        print_json({"student": students.get(row.student, row.student), "history": earlier, "now": row.grade})
        return
    for when, grade in (*((f"until {one.at}", one.grade) for one in earlier), ("now", row.grade)):
        failed = ", ".join(check.id for check in lost(grade))
        click.echo(harmless(f"{when}: {_score(grade)}" + (f"; failed: {failed}" if failed else "")))


def _score(grade: model.Grade) -> str:
    return f"{score(grade.score)} of {number(grade.max_score)} points, {grade.status}"


def _unknown(folder: Path, student: str) -> click.UsageError:
    known = sorted(path.stem for path in folder.glob("*.json"))
    near = [name for name in known if student and name.lower().startswith(student.lower())]
    near += [name for name in difflib.get_close_matches(student, known, 3, 0.5) if name not in near]
    hint = f"similar names: {', '.join(near[:5])}" if near else f"there are {len(known)} others"
    return click.UsageError(f"no result of {student!r}; {hint}")
