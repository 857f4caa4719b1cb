"""``show``: one student's result, at length."""

from __future__ import annotations

import difflib
from pathlib import Path

import click
import msgspec

from autograder import ledger, model, results
from autograder.journal import JournalError


def show(out: Path, student: str, as_json: bool) -> int:
    """Prints a result that ``grade`` has written. Raises click.UsageError."""
    folder = out / "results"
    if not folder.is_dir():
        raise click.UsageError(f"{out} holds no results; it must be the --out folder of attngrade grade")
    names = (student, student.removeprefix("'"))  # as it is, or as grades.csv spells it for a spreadsheet
    paths = [folder / f"{results.file_name(name)}.json" for name in names]
    path = next((path for path in paths if path.exists()), None)
    if path is None:
        raise click.UsageError(_unknown(folder, student))
    try:
        grade = results.read_result(path)
    except (OSError, msgspec.MsgspecError) as error:
        raise click.UsageError(f"{path} can't be read: {error}") from error
    if as_json:
        click.echo(msgspec.json.format(msgspec.json.encode(grade), indent=2).decode())
    else:
        _tell(grade)
    return 0


def history(out: Path, student: str, as_json: bool) -> int:
    """Prints the grades that a student's was before each regrade, and the present one. Raises click.UsageError."""
    try:
        with ledger.untouched(out) as journal:
            names = (student, student.removeprefix("'"))
            row = next((found for name in names if (found := ledger.row(journal, name))), None)
            earlier = ledger.history(journal, row.student) if row else []
    except JournalError as error:
        raise click.UsageError(str(error)) from error
    if row is None:
        raise click.UsageError(_unknown(out / "results", student))
    if as_json:
        told = {"student": row.student, "history": earlier, "now": row.grade}
        click.echo(msgspec.json.format(msgspec.json.encode(told), indent=2).decode())
        return 0
    for one in earlier:
        click.echo(f"until {one.at}: {_line(one.grade)}")
    click.echo(f"now: {_line(row.grade)}")
    return 0


def _line(grade: model.Grade) -> str:
    from autograder.report.summary import lost, number

    failed = ", ".join(check.id for check in lost(grade))
    score = f"{number(grade.score)} of {number(grade.max_score)} points, {grade.status}"
    return f"{score}; lost: {failed}" if failed else score


def _unknown(folder: Path, student: str) -> str:
    known = sorted(path.stem for path in folder.glob("*.json"))
    near = [name for name in known if student and name.lower().startswith(student.lower())]
    near += [name for name in difflib.get_close_matches(student, known, 3, 0.5) if name not in near]
    told = f"near it: {', '.join(near[:5])}" if near else f"{len(known)} others are there"
    return f"no result of {student!r}; {told}"


def _tell(grade: model.Grade) -> None:
    from rich.text import Text

    from autograder.report import terminal
    from autograder.report.summary import number, one_line

    console = terminal.console()
    score = f"{number(grade.score)} of {number(grade.max_score)} points"
    student = (one_line(grade.student), "bold")
    console.print(Text.assemble(student, f"  {grade.assignment}: {score}, {grade.status}"))
    if grade.message:
        console.print(Text(grade.message, "yellow"))
    terminal.checks(console, grade)
    terminal.failures(console, grade, most=None)
