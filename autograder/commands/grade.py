"""``grade``: a folder of submissions in, grades, reasons and a report out."""

from __future__ import annotations

import os
import time
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import click
import msgspec

from autograder import bulk, exam, intake, messages, model, specs
from autograder.cluster import Cluster, ClusterError
from autograder.commands import engine
from autograder.gradebook import Gradebook, OutputError, is_output
from autograder.journal import JournalError
from autograder.sandbox import standing
from autograder.sandbox.limits import Limits
from autograder.sandbox.standing import SandboxError
from autograder.seed import SeedError, course_seed

LINE_SECONDS = 5.0  # between two lines of progress where there is no terminal
LARGEST_TABLE = 60  # students; the report shows any number


def grade(submissions: Path, assignment: str, out: Path, **options: Any) -> int:
    """See cli.grade. Raises click.UsageError for a wrong call."""
    if os.name != "posix":
        raise click.UsageError("grade needs Linux, or macOS with --unconfined; check works everywhere")
    if os.path.realpath(out) == os.path.realpath(submissions):
        raise click.UsageError("--out must be another folder than the submissions")
    try:
        specs.load(assignment, hidden=True)
        plan = _plan(assignment, options)
        entries = entries_of(submissions, out, assignment, options["layout"])
        elsewhere = engine.cluster(plan, options)
        book = Gradebook(out, assignment, resume=options["resume"])
    except ModuleNotFoundError as error:
        raise click.UsageError(exam.NOT_INSTALLED) from error
    except (
        intake.IntakeError, exam.ExamError, SeedError, JournalError, OutputError, SandboxError, ClusterError,
    ) as error:  # fmt: skip
        raise click.UsageError(str(error)) from error
    try:
        book.remember(submissions, options["layout"], plan)
        return _run(book, plan, entries, options, elsewhere)
    except KeyboardInterrupt:
        click.echo("attngrade: interrupted; go on with --resume", err=True)
        return 1
    except (exam.ExamError, JournalError, SandboxError, ClusterError, OSError) as error:
        click.echo(f"attngrade: the run failed: {error}; mend that and go on with --resume", err=True)
        return 1
    finally:
        book.close()
        if elsewhere:
            elsewhere.close()


def entries_of(submissions: Path, out: Path, assignment: str, layout: str) -> list[model.Entry]:
    """Who handed in. Output folders among the submissions, this run's and earlier ones', are nobody's work. Raises
    IntakeError."""
    entries = []
    ours = os.path.realpath(out)
    for entry in intake.discover(submissions, assignment, layout):
        if any(os.path.realpath(part) == ours or is_output(part) for part in entry.parts):
            told = messages.printable(entry.student)  # no student is passed over in silence
            click.echo(f"attngrade: {told} is an output folder and is passed over", err=True)
        else:
            entries.append(entry)
    return entries


def _plan(assignment: str, options: dict[str, Any]) -> bulk.Plan:
    seed, timing, unconfined = (
        course_seed(options["seed_file"]),
        not options["no_timing"],
        options["unconfined"],
    )
    limits = limits_of(options, Limits())
    return bulk.Plan(assignment, seed, limits, timing, unconfined=unconfined, device=options["device"])


def limits_of(options: dict[str, Any], others: Limits) -> Limits:
    """The limits that were asked for, and those of ``others`` that were not. Raises click.UsageError."""
    given = {
        "case_seconds": options["case_seconds"],
        "submission_seconds": options["submission_seconds"],
        "memory_bytes": options["memory_gb"] and int(options["memory_gb"] * (1 << 30)),
    }
    given = {name: value for name, value in given.items() if value} | _numbers(options["more_limits"])
    try:
        return msgspec.convert(msgspec.to_builtins(others) | given, Limits)
    except msgspec.ValidationError as error:
        raise click.UsageError(f"--limit: {error}") from error


def _numbers(given: Sequence[str]) -> dict[str, float]:
    """``NAME=NUMBER`` of each --limit. Raises click.UsageError."""
    numbers: dict[str, float] = {}
    names = [field.name for field in msgspec.structs.fields(Limits)]
    for text in given:
        name, _, value = text.partition("=")
        if name not in names:
            raise click.UsageError(f"--limit {text}: there is no such limit; there are {', '.join(names)}")
        try:
            numbers[name] = float(value) if "." in value else int(value)
        except ValueError:
            raise click.UsageError(f"--limit {text}: {value!r} is not a number") from None
    return numbers


def _run(
    book: Gradebook,
    plan: bulk.Plan,
    entries: list[model.Entry],
    options: dict[str, Any],
    elsewhere: Cluster | None,
) -> int:
    from autograder.report import html, summary, terminal

    started = time.monotonic()
    console = terminal.console(stderr=True)
    jobs = min(options["jobs"] or bulk.cores(), max(1, len(entries)))
    if console.is_terminal:
        told = engine.told(jobs, elsewhere)
        console.print(f"Grading {len(entries)} submissions of {plan.topic} with {told}", style="dim")
    with _Progress(console, len(entries)) as progress:
        book.run(plan, entries, jobs, progress.advance, elsewhere.grade_all if elsewhere else None)
    grades = book.finish(html.write_report)
    took = time.monotonic() - started
    if options["as_json"]:
        click.echo(msgspec.json.encode(_summary(book.out, grades, took)).decode())
    else:
        if len(grades) <= LARGEST_TABLE:
            terminal.grades(terminal.console(), grades)
        kept = f", {progress.reused} of them as graded before" if progress.reused else ""
        click.echo(f"\n{summary.counts(grades)}{kept}, in {took:.1f} s with {engine.told(jobs, elsewhere)}")
        if standing.warning():
            click.echo(standing.warning(), err=True)
        click.echo(f"Grades:  {book.out / 'grades.csv'}\nReport:  {book.out / 'report' / 'index.html'}")
    return 1 if any(row.status == "infrastructure-error" for row in grades) else 0


def _summary(out: Path, grades: list[model.Grade], seconds: float) -> dict[str, object]:
    statuses = [row.status for row in grades]
    return {
        "students": len(grades),
        "statuses": {status: statuses.count(status) for status in dict.fromkeys(statuses)},
        "grades": str(out / "grades.csv"),
        "report": str(out / "report" / "index.html"),
        "seconds": round(seconds, 3),
    }


class _Progress:
    """A bar with counts and the time left on a terminal; elsewhere a line now and then."""

    def __init__(self, console: Any, total: int) -> None:
        self.console = console
        self.total = total
        self.done = self.reused = 0
        self.counts: dict[str, int] = {}
        self.last_line = time.monotonic()
        self.bar: Any = None

    def __enter__(self) -> _Progress:
        return self

    def __exit__(self, *_: object) -> None:
        if self.bar is not None:
            self.bar.stop()

    def advance(self, grade: model.Grade, reused: bool) -> None:
        """One more is done. The bar's thread starts only now: grading processes have been forked by then."""
        self.done += 1
        self.reused += reused
        self.counts[grade.status] = self.counts.get(grade.status, 0) + 1
        told = ", ".join(f"{count} {status}" for status, count in self.counts.items())
        if self.console.is_terminal and (self.bar or not reused):
            self._draw(told)
        elif time.monotonic() - self.last_line >= LINE_SECONDS:
            self.last_line = time.monotonic()
            self.console.print(f"{self.done} of {self.total}: {told}")

    def _draw(self, told: str) -> None:
        if self.bar is None:
            from rich import progress

            self.bar = progress.Progress(
                progress.BarColumn(), progress.MofNCompleteColumn(), progress.TimeRemainingColumn(),
                progress.TextColumn("{task.description}"), console=self.console, transient=True,
            )  # fmt: skip
            self.task = self.bar.add_task("", total=self.total)
            self.bar.start()
        self.bar.update(self.task, completed=self.done, description=told)
