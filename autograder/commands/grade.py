"""``grade``: a folder of submissions in, grades, reasons and a report out."""

from __future__ import annotations

import os
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import click
import msgspec

from autograder import bulk, exam, intake, messages, model, specs
from autograder.cluster import Cluster, ClusterError
from autograder.commands import engine, rosters
from autograder.gradebook import Gradebook, OutputError, is_output
from autograder.journal import JournalError
from autograder.sandbox import standing
from autograder.sandbox.limits import Limits, altered
from autograder.sandbox.standing import SandboxError
from autograder.seed import SeedError, course_seed
from autograder.sheet import SheetError

LARGEST_TABLE = 60  # students; the report shows any number
NAMED = 5  # students, in a warning


def grade(submissions: Path, assignment: str, out: Path, **options: Any) -> int:
    """See cli.grade. Raises click.UsageError for a wrong call."""
    if os.name != "posix":
        raise click.UsageError("grade needs Linux, or macOS with --unconfined; check works everywhere")
    if os.path.realpath(out) == os.path.realpath(submissions):
        raise click.UsageError("--out must be another folder than the submissions")
    try:
        specs.load(assignment, hidden=True)
        plan = _plan(assignment, options)
        entries = entries_of(submissions, out, assignment, options["layout"], options["log_json"])
        course = rosters.Course(options["roster"], [entry.student for entry in entries])
        entries = sorted([*entries, *course.absent], key=lambda entry: entry.student)
        elsewhere = engine.cluster(plan, options)
        book = Gradebook(out, assignment, resume=options["resume"])
    except ModuleNotFoundError as error:
        raise click.UsageError(exam.NOT_INSTALLED) from error
    except (
        intake.IntakeError, exam.ExamError, SeedError, JournalError, OutputError, SandboxError, ClusterError,
        SheetError,
    ) as error:  # fmt: skip
        raise click.UsageError(str(error)) from error
    try:
        return _run(book, plan, entries, course, elsewhere, (submissions, options))
    finally:
        book.close()
        if elsewhere:
            elsewhere.close()


def entries_of(
    submissions: Path, out: Path, assignment: str, layout: str, events: bool = False
) -> list[model.Entry]:
    """Who handed in. Output folders among the submissions, this run's and earlier ones', are nobody's work. Raises
    IntakeError."""
    from autograder.report import progress

    entries = []
    ours = os.path.realpath(out)
    for entry in intake.discover(submissions, assignment, layout):
        if any(os.path.realpath(part) == ours or is_output(part) for part in entry.parts):
            told = messages.printable(entry.student)  # no student is passed over in silence
            progress.warn(f"{told} is an output folder and is passed over", events)
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
        return altered(others, given)
    except msgspec.ValidationError as error:
        raise click.UsageError(f"--limit: {error}") from error


def _numbers(given: Sequence[str]) -> dict[str, float]:
    """``NAME=NUMBER`` of each --limit. Raises click.UsageError."""
    numbers: dict[str, float] = {}
    for text in given:
        name, _, value = text.partition("=")
        try:
            numbers[name] = float(value) if "." in value else int(value)
        except ValueError:
            raise click.UsageError(f"--limit {text}: {value!r} is not a number") from None
    return numbers


def _run(
    book: Gradebook,
    plan: bulk.Plan,
    entries: list[model.Entry],
    course: rosters.Course,
    elsewhere: Cluster | None,
    asked: tuple[Path, dict[str, Any]],
) -> int:
    from autograder.report import html, progress, summary, terminal

    submissions, options = asked
    jobs = min(options["jobs"] or bulk.cores(), max(1, len(entries)))
    watch = progress.watch(terminal.console(stderr=True), len(entries), options["log_json"])
    at_a_time = elsewhere.threads if elsewhere else jobs
    watch.begin(assignment=plan.topic, submissions=len(entries), jobs=at_a_time, out=str(book.out))
    try:
        book.remember(submissions, options["layout"], plan)
        changed = book.run(plan, entries, jobs, watch.advance, elsewhere.grade_all if elsewhere else None)
        grades = book.finish(html.write_report)
        shown = list(grades) if len(grades) <= LARGEST_TABLE and not options["as_json"] else []
    except KeyboardInterrupt:
        watch.fail("interrupted; go on with --resume")
        return 1
    except (exam.ExamError, JournalError, SandboxError, ClusterError, OSError) as error:
        watch.fail(f"the run failed: {error}; mend that and go on with --resume")
        return 1
    finally:
        watch.end()
    pace = watch.pace
    took = pace.seconds
    told = map(messages.printable, course.lines())
    for message in filter(None, (standing.warning(), _changed(changed), *told)):
        watch.warn(message)
    watch.finish(**_summary(book.out, pace, took), how=dict(pace.how), slowest=pace.slowest_one())
    if options["as_json"]:
        click.echo(msgspec.json.encode(_summary(book.out, pace, took) | course.summary()).decode())
    else:
        if shown:
            terminal.grades(terminal.console(), shown)
        known = {"before": "as graded before", "copy": "as the same work was"}
        kept = "".join(f", {pace.how[how]} of them {words}" for how, words in known.items() if pace.how[how])
        click.echo(
            f"\n{summary.status_counts(pace.statuses)}{kept}, in {took:.1f} s with {engine.told(jobs, elsewhere)}"
        )
        click.echo(f"Grades:  {book.out / 'grades.csv'}\nReport:  {book.out / 'report' / 'index.html'}")
    return 1 if pace.statuses["infrastructure-error"] else 0


def _changed(students: list[str]) -> str:
    """A word on work that was changed while it was graded: what was read first counts."""
    if not students:
        return ""
    names = ", ".join(map(messages.printable, students[:NAMED])) + (", …" if len(students) > NAMED else "")
    return (
        f"{len(students)} submission(s) have changed since they were read ({names}); grade them with --resume"
    )


def _summary(out: Path, pace: Any, seconds: float) -> dict[str, object]:
    return {
        "students": pace.done,
        "statuses": dict(pace.statuses),
        "grades": str(out / "grades.csv"),
        "report": str(out / "report" / "index.html"),
        "seconds": round(seconds, 3),
    }
