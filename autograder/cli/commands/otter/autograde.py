"""``otter autograde``: grades one submission inside an autograder.zip."""

import contextlib
from pathlib import Path

import click
import msgspec

from autograder import intake, model
from autograder.cli import options
from autograder.cli.checkout import ROOT
from autograder.grading.seed import SeedError, course_seed
from autograder.grading.suite import SuiteError
from autograder.grading.usual import usual_limits
from autograder.integrations import gradescope_results
from autograder.integrations.otter import bundle as bundles
from autograder.report import progress
from autograder.runs import pool
from autograder.runs.results import write_whole
from autograder.sandbox import availability, machine
from autograder.sandbox.availability import SandboxError
from autograder.sandbox.limits import Limits

OUR_BYTES = 640 << 20  # that the grader, the fork server and torch use in a container
LEAST_BYTES = 256 << 20


def bundle_settings() -> bundles.BundleSettings:
    """Return the settings of the bundle that holds this code. Raises ``click.UsageError`` outside a bundle."""
    try:
        return bundles.BundleSettings.read(ROOT)
    except (OSError, msgspec.MsgspecError) as error:
        raise click.UsageError("this runs inside an autograder.zip, which attngrade otter build makes") from error


@click.command(hidden=True)
@click.argument("root", type=click.Path(path_type=Path, file_okay=False, exists=True))
@click.option("--work", type=click.Path(path_type=Path, exists=True), help="What to grade [ROOT/submission].")
@options.json
def autograde_command(root: Path, work: Path | None, as_json: bool) -> int:
    """Grade ROOT/submission into ROOT/results/results.json; runs inside an autograder.zip.

    If the fault is ours, the exit status is 1 and there are no results: the fault must not become a 0."""
    settings = bundle_settings()
    path = root / "results" / "results.json"
    path.unlink(missing_ok=True)
    try:
        grade = _grade(settings, course_seed(ROOT / bundles.SEED), work or root / "submission")
        view = model.StudentView(hidden_titles=settings.hidden_titles)
        results = gradescope_results.results(grade, settings.questions, settings.hidden, view)
    except (SuiteError, SeedError, SandboxError, gradescope_results.NoScore, OSError) as error:
        progress.warn(f"no score is given, as the fault is not the student's: {error}")
        return 1
    if as_json:
        click.echo(msgspec.json.encode(grade).decode())
        return 0
    write_whole(path, msgspec.json.format(msgspec.json.encode(results), indent=1))
    click.echo(f"{grade.status}: {results.score:g} of {sum(check.max_points for check in grade.checks):g} points")
    if warning := availability.warning():
        click.echo(warning)
    return 0


def _grade(settings: bundles.BundleSettings, seed: str, work: Path) -> model.Grade:
    availability.layers(settings.unconfined)  # raises before anything is read
    submission = intake.read(model.Entry("submission", (work,)), settings.assignment)
    plan = pool.RunPlan(
        settings.assignment,
        seed,
        _fitting(usual_limits(settings.assignment)),
        settings.timing,
        unconfined=settings.unconfined,
    )
    with contextlib.closing(pool.Grader(plan)) as grader:
        return grader.grade(submission)


def _fitting(limits: Limits) -> Limits:
    """Lower the memory limit to what the container leaves: with more, the system would kill the grader."""
    allowed = machine.container_bytes()
    if allowed is None:
        return limits
    share = max(LEAST_BYTES, allowed - OUR_BYTES)
    return msgspec.structs.replace(limits, memory_bytes=min(limits.memory_bytes, share))
