"""``show``: one student's result, at length."""

from __future__ import annotations

import difflib
from pathlib import Path

import click
import msgspec

from autograder import model, results


def show(out: Path, student: str, as_json: bool) -> int:
    """Prints a result that ``grade`` has written. Raises click.UsageError."""
    folder = out / "results"
    if not folder.is_dir():
        raise click.UsageError(f"{out} holds no results; it must be the --out folder of attngrade grade")
    path = folder / f"{results.file_name(student)}.json"
    try:
        grade = results.read_result(path)
    except FileNotFoundError:
        raise click.UsageError(_unknown(folder, student)) from None
    except (OSError, msgspec.MsgspecError) as error:
        raise click.UsageError(f"{path} can't be read: {error}") from error
    if as_json:
        click.echo(msgspec.json.format(msgspec.json.encode(grade), indent=2).decode())
    else:
        _tell(grade)
    return 0


def _unknown(folder: Path, student: str) -> str:
    known = sorted(path.stem for path in folder.glob("*.json"))
    near = difflib.get_close_matches(student, known, 3, 0.5)
    return f"no result of {student!r}; " + (
        f"near it: {', '.join(near)}" if near else f"{len(known)} others are there"
    )


def _tell(grade: model.Grade) -> None:
    from rich.console import Console
    from rich.text import Text

    from autograder.report import terminal

    console = Console(highlight=False)
    score = f"{terminal.number(grade.score)} of {terminal.number(grade.max_score)} points"
    console.print(Text.assemble((grade.student, "bold"), f"  {grade.assignment}: {score}, {grade.status}"))
    if grade.message:
        console.print(Text(grade.message, "yellow"))
    terminal.checks(console, grade)
    terminal.failures(console, grade, most=None)
