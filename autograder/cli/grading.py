"""What ``grade`` and ``regrade`` share: the entries, the limits, and the machines that grade."""

import contextlib
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import NamedTuple

import click
import msgspec

from autograder import intake, model
from autograder.course.settings import NAME
from autograder.grading import gpu
from autograder.intake.layouts import LAYOUTS
from autograder.model.text import visible
from autograder.report import progress
from autograder.report.summary import some
from autograder.runs import pool
from autograder.runs.cluster import Cluster
from autograder.sandbox import availability
from autograder.sandbox.limits import Limits, altered

LAYOUT = click.Choice(("auto", *(layout.name for layout in LAYOUTS)))


class Engine(NamedTuple):
    """What grades: processes of this machine or a cluster. ``at_a_time`` counts submissions."""

    grade_all: pool.GradeAll
    at_a_time: int
    description: str


@contextlib.contextmanager
def engine(
    plan: pool.RunPlan, submissions: int, jobs: int | None, scheduler: str | None, wait: float
) -> Iterator[Engine]:
    """Yield the engine for a number of submissions, after a check that it can grade.

    Raises ``click.UsageError``, ``ClusterError`` or ``SandboxError``.
    """
    if not scheduler:
        if plan.device == "cuda" and not gpu.present():
            raise click.UsageError(
                "there is no CUDA device on this machine; grade with --device cpu, or on one that has it"
            )
        availability.layers(plan.unconfined, plan.device)
        jobs = min(jobs or pool.cores(), max(1, submissions))
        yield Engine(pool.grade_all, jobs, f"{jobs} job(s)")
        return
    if jobs:
        raise click.UsageError("--jobs is for this machine; with --scheduler the workers' threads say how many")
    with contextlib.closing(Cluster(scheduler, wait)) as cluster:
        cluster.check(plan)
        yield Engine(cluster.grade_all, cluster.threads, f"{cluster.threads} thread(s) of a cluster")


def entries_of(submissions: Path, out: Path, assignment: str, layout: str, events: bool = False) -> list[model.Entry]:
    """Return the entries of a folder of submissions. Raises ``IntakeError``.

    What is no submission is named in a warning: files of nobody, and the output folders of this run and earlier ones.
    """
    entries, outputs = intake.without_outputs(intake.discover(submissions, assignment, layout), out)
    for entry in outputs:
        if intake.read(entry, assignment).status != "missing":
            raise intake.IntakeError(f"--out {out} is the folder of a submission, {entry.student}: choose another")
        progress.warn(f"{visible(entry.student)} is an output folder and is passed over", events)
    if others := [name for name in intake.passed_over(submissions, assignment, layout) if name != NAME]:
        progress.warn(f"passed over, as nobody's submission: {some(others)}", events)
    return entries


def changed_limits(limits: Limits, changes: Mapping[str, float]) -> Limits:
    """Return ``limits`` with the values of ``options.limits``. Raises ``click.UsageError``."""
    try:
        return altered(limits, changes)
    except msgspec.ValidationError as error:
        raise click.UsageError(f"--limit: {error}") from error
