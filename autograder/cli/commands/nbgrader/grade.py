"""``nbgrader grade``: what nbgrader has collected of an assignment, graded in bulk."""

from __future__ import annotations

import contextlib
import os
import tempfile
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click
import msgspec

from autograder import model, protocol
from autograder.cli import options
from autograder.cli.errors import usage_errors
from autograder.cli.output import print_json
from autograder.integrations import startup
from autograder.model.text import harmless, visible
from autograder.report import progress
from autograder.report.summary import score
from autograder.report.web import write_report
from autograder.runs import pool
from autograder.runs.grading_run import GradingRun
from autograder.runs.journal import JournalError
from autograder.runs.run_folder import RunFolder
from autograder.sandbox import availability
from autograder.sandbox.availability import SandboxError

if TYPE_CHECKING:
    from autograder.integrations.nbgrader.bulk import CourseAssignment, NotScored, ScoreChange

OUT = "attngrade"  # the folder in a course with our own results


@click.command()
@click.argument("course", type=click.Path(path_type=Path, file_okay=False, exists=True))
@options.assignment_argument
@options.jobs
@click.option("--dry-run", is_flag=True, help="Write nothing; show whose score would change.")
@options.no_timing
@options.device()
@options.hidden_titles(default=None)
@options.unconfined
@options.json
def grade_command(
    course: Path,
    assignment: str,
    jobs: int | None,
    dry_run: bool,
    no_timing: bool,
    device: protocol.Device | None,
    hidden_titles: bool | None,
    unconfined: bool,
    as_json: bool,
) -> int:
    """Grade what nbgrader has collected of ASSIGNMENT into its gradebook.

    The exit status is 1 if a student gets no score through our own fault, or if the run fails."""
    startup.skip_format_grammars()
    with usage_errors(extra="nbgrader"):
        from autograder.integrations.nbgrader import bulk
        from autograder.integrations.nbgrader.course import CourseError
    settings: dict[str, Any] = {"device": device} if device else {}
    settings |= {"unconfined": True} if unconfined else {}
    settings |= {"timing": False} if no_timing else {}
    with usage_errors(CourseError):
        availability.layers(unconfined)
        with bulk.opened(course.resolve(), assignment) as opened:
            if hidden_titles is not None:
                opened.settings.hidden_titles = hidden_titles
            results = _grade(opened, assignment, settings, jobs, dry_run)
    if results is None:
        return 1
    skipped = [result for result in results if isinstance(result, bulk.NotScored)]
    _print([result for result in results if isinstance(result, bulk.ScoreChange)], skipped, dry_run, as_json)
    return 1 if any(result.ours for result in skipped) else 0


def _grade(
    course: CourseAssignment, assignment: str, settings: dict[str, Any], jobs: int | None, dry_run: bool
) -> list[ScoreChange | NotScored] | None:
    """Grade and return the results by student; None if the run failed. ``settings`` replace the course's own."""
    entries, nameless = course.entries()
    if not entries and not nameless:
        raise click.UsageError(f"nobody has handed {assignment} in; run: nbgrader collect {assignment}")
    results: list[ScoreChange | NotScored] = [*nameless]

    def keep(grade: model.Grade, _: object) -> None:
        results.append(course.take(grade, dry_run))

    with _run_folder(assignment, dry_run) as folder:
        try:
            plan = msgspec.structs.replace(course.plan(), **settings)
            GradingRun(folder, plan, keep).grade(entries, max(1, min(jobs or pool.cores(), len(entries))))
            if not dry_run:
                folder.finish(write_report)
        except msgspec.ValidationError as error:
            raise click.UsageError(f"c.AttnGrade.limits: {error}") from error
        except KeyboardInterrupt:
            progress.warn("interrupted; the same command goes on where it stopped")
            return None
        except (JournalError, SandboxError, OSError) as error:
            progress.warn(f"the run failed: {error}; correct that, and the same command goes on")
            return None
    return sorted(results, key=lambda result: result.student)


@contextlib.contextmanager
def _run_folder(assignment: str, dry_run: bool) -> Iterator[RunFolder]:
    """Open our own results beside the gradebook. A dry run uses a new folder, so that it grades everybody."""
    place = tempfile.TemporaryDirectory() if dry_run else contextlib.nullcontext(os.path.join(OUT, assignment))
    with place as path, contextlib.closing(RunFolder(Path(path), assignment, resume=True)) as folder:
        yield folder


def _print(changes: Sequence[ScoreChange], skipped: Sequence[NotScored], dry_run: bool, as_json: bool) -> None:
    differing = [change for change in changes if change.cells]
    if as_json:
        students = len(changes) + len(skipped)
        print_json({"students": students, "written": not dry_run, "changes": differing, "skipped": skipped})
        return
    for change in differing:
        by = "" if change.before is None else f" ({change.after - change.before:+.2f})"
        click.echo(f"{visible(change.student)}: {score(change.before)} -> {score(change.after)}{by}")
        for name, before, after in change.cells if dry_run else ():
            click.echo(f"    {visible(name)}: {score(before)} -> {score(after)}")
    for result in skipped:
        kept = "our own fault; the earlier score stays, marked for a person" if result.ours else "not written"
        click.echo(harmless(f"{result.student}: no score ({kept}): {result.why}"), err=True)
    verb = "would change" if dry_run else "changed"
    click.echo(f"{len(changes)} graded, {len(differing)} scores {verb}, {len(skipped)} without a score")
