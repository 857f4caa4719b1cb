"""``check``: what a student runs before handing in."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import click
import msgspec

from autograder import bulk, exam, intake, messages, model
from autograder.gpu import GPU
from autograder.runner import Runner
from autograder.sandbox.launch import SingleLauncher
from autograder.sandbox.limits import Limits
from autograder.sandbox.standing import SandboxError
from autograder.seed import SeedError, course_seed

if TYPE_CHECKING:
    from rich.console import Console

PRINTED = 20_000  # characters of a submission's own output that are shown


def check(
    path: Path,
    assignment: str | None,
    *,
    full: bool,
    unconfined: bool,
    device: model.Device,
    everything: bool,
    prints: bool,
    seed_file: Path | None,
    as_json: bool,
) -> int:
    """Checks what is at ``path``; 0 when every check was passed, 1 when not. Raises click.UsageError."""
    try:
        works = intake.open_path(path, assignment)
        results = [_grade(topic, work, full, unconfined, device, seed_file) for topic, work in works]
    except (intake.IntakeError, exam.ExamError, SeedError, SandboxError) as error:
        raise click.UsageError(str(error)) from error
    grades = [grade for grade, _ in results]
    if as_json:
        click.echo(msgspec.json.format(msgspec.json.encode(grades), indent=2).decode())
    else:
        for (_, work), (grade, printed) in zip(works, results, strict=True):
            _tell(path, work, grade, full, everything)
            if prints:
                click.echo(f"\nYour code printed:\n{messages.printable(printed, PRINTED)}")
    return 0 if all(_passed(grade) for grade in grades) else 1


def _grade(
    topic: str,
    work: model.Submission,
    full: bool,
    unconfined: bool,
    device: model.Device,
    seed_file: Path | None,
) -> tuple[model.Grade, str]:
    """The grade, and what the submission printed. Students run their own code, with what confinement there is."""
    if not full:
        questions = exam.public(topic, device)
        launcher = SingleLauncher(Limits(), unconfined=True, device=device)
        runner = Runner(questions, launcher, gpu=GPU(questions, launcher) if device == "cuda" else None)
        return runner.grade(work), runner.printed
    plan = bulk.Plan(topic, course_seed(seed_file), Limits(), unconfined=unconfined, device=device)
    grader = bulk.Grader(plan)
    try:
        return grader.runner.grade(work), grader.runner.printed
    finally:
        grader.close()


def _passed(grade: model.Grade) -> bool:
    return grade.status == "graded" and all(check.status in ("passed", "skipped") for check in grade.checks)


def _tell(path: Path, work: model.Submission, grade: model.Grade, full: bool, everything: bool) -> None:
    from rich.text import Text

    from autograder.report import terminal
    from autograder.report.summary import number

    console = terminal.console()
    which = "all checks" if full else "the public checks"
    console.print(Text.assemble((work.filename or path.name, "bold"), f": {which} of {grade.assignment}"))
    if grade.message:
        console.print(Text(grade.message, "yellow"), soft_wrap=True)
    if grade.status in ("graded", "partial"):
        _first_step(console, work, grade)
        terminal.checks(console, grade)
        terminal.failures(console, grade, None if everything else terminal.SHOWN_IN_FULL)
    points = f"\n{number(grade.score)} of {number(grade.max_score)} points"
    rest = "" if full else "; hidden checks with other numbers and sizes give the rest of the 100"
    console.print(Text(points + rest, "bold" if _passed(grade) else ""))


def _first_step(console: Console, work: model.Submission, grade: model.Grade) -> None:
    """Where nothing, or not everything, is written yet: what to do first."""
    from rich.text import Text

    unwritten = [check for check in grade.checks if check.diagnosis == "not-implemented"]
    if not unwritten:
        return
    first = unwritten[0].message.partition(" Called: ")[0]
    stub = "NotImplementedError" in first
    name = first.partition(" is not written")[0] if stub else ""
    what = f"{name} in {work.filename}: replace `raise NotImplementedError` by your code." if stub else first
    untouched = not any(check.status == "passed" for check in grade.checks)
    opening = "Nothing is written yet. Start with" if untouched else "Next to write:"
    console.print(Text(f"{opening} {what}", "yellow"), soft_wrap=True)
    if untouched and ".ipynb" in grade.message:
        other = "The notebook beside it was not looked at: if your work is there, delete the script."
        console.print(Text(other, "yellow"), soft_wrap=True)
