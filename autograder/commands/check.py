"""``check``: what a student runs before handing in."""

from __future__ import annotations

import sys
from pathlib import Path

import click
import msgspec

from autograder import exam, intake, messages, model
from autograder.runner import Runner
from autograder.sandbox.launch import SingleLauncher
from autograder.sandbox.limits import Limits
from autograder.seed import SeedError, course_seed

PRINTED = 20_000  # characters of a submission's own output that are shown


def check(
    path: Path,
    assignment: str | None,
    *,
    full: bool,
    everything: bool,
    prints: bool,
    seed_file: Path | None,
    as_json: bool,
) -> int:
    """Checks what is at ``path``; 0 when every check was passed, 1 when not. Raises click.UsageError."""
    try:
        works = intake.open_path(path, assignment)
        results = [_grade(topic, work, full, seed_file) for topic, work in works]
    except (intake.IntakeError, exam.ExamError, SeedError) as error:
        raise click.UsageError(str(error)) from error
    grades = [grade for grade, _ in results]
    if as_json:
        click.echo(msgspec.json.format(msgspec.json.encode(grades), indent=2).decode())
    else:
        for (_, work), (grade, printed) in zip(works, results, strict=True):
            _tell(work, grade, full, everything)
            if prints:
                click.echo(f"\nYour code printed:\n{messages.printable(printed, PRINTED)}")
    return 0 if all(_passed(grade) for grade in grades) else 1


def _grade(topic: str, work: model.Submission, full: bool, seed_file: Path | None) -> tuple[model.Grade, str]:
    """The grade, and what the submission printed."""
    questions = exam.full(topic, course_seed(seed_file)) if full else exam.public(topic)
    runner = Runner(questions, SingleLauncher(Limits()))
    return runner.grade(work), runner.printed


def _passed(grade: model.Grade) -> bool:
    return grade.status == "graded" and all(check.status in ("passed", "skipped") for check in grade.checks)


def _tell(work: model.Submission, grade: model.Grade, full: bool, everything: bool) -> None:
    from rich.console import Console
    from rich.text import Text

    from autograder.report import terminal

    console = (
        Console(highlight=False, soft_wrap=True) if not sys.stdout.isatty() else Console(highlight=False)
    )
    which = "all checks" if full else "the public checks"
    console.print(Text.assemble((work.filename, "bold"), f": {which} of {grade.assignment}"))
    if grade.message:
        console.print(Text(grade.message, "yellow"))
    if grade.status in ("graded", "partial"):
        _first_step(console, work, grade)
        terminal.checks(console, grade)
        terminal.failures(console, grade, None if everything else terminal.SHOWN_IN_FULL)
    points = f"\n{terminal.number(grade.score)} of {terminal.number(grade.max_score)} points"
    rest = "" if full else "; hidden checks with other numbers and sizes give the rest of the 100"
    console.print(Text(points + rest, "bold" if _passed(grade) else ""))


def _first_step(console: object, work: model.Submission, grade: model.Grade) -> None:
    """Where nothing, or not everything, is written yet: what to do first."""
    from rich.console import Console
    from rich.text import Text

    assert isinstance(console, Console)
    unwritten = [check for check in grade.checks if check.diagnosis == "not-implemented"]
    if not unwritten:
        return
    section = unwritten[0].hint.partition('See "')[2].partition('"')[0]
    untouched = not any(check.status == "passed" for check in grade.checks)
    opening = "Nothing is written yet. Start with" if untouched else "Next to write:"
    console.print(
        Text(f"{opening} {section or unwritten[0].title}: {unwritten[0].message.splitlines()[0]} "
             f"Open {work.filename}, replace that line by your code, and check again.", "yellow")
    )  # fmt: skip
