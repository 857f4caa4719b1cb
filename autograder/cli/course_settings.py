"""The settings of a course for one run: those of ``--config``, or of ``assignment.toml`` among the submissions."""

from pathlib import Path

import click
import msgspec

from autograder import model
from autograder.cli.grading import changed_limits
from autograder.course.marks import Rules
from autograder.course.settings import NAME, Settings, SettingsError, read_settings
from autograder.feedback.causes import CAUSES
from autograder.report import progress
from autograder.runs import pool

option = click.option(
    "--config",
    type=click.Path(path_type=Path, dir_okay=False),
    help=f"The course's settings [default: {NAME} in SUBMISSIONS].",
)


def settings_of(config: Path | None, submissions: Path, spec: model.Spec) -> Settings | None:
    """Return the settings that hold for a run; None if there are none. Raises ``click.UsageError``."""
    path = config or submissions / NAME
    if config is None:
        if not path.is_file():
            return None
        progress.warn(f"settings: {path}")
    try:
        return read_settings(path, spec, CAUSES)
    except SettingsError as error:
        raise click.UsageError(str(error)) from error


def planned(plan: pool.RunPlan, settings: Settings | None) -> pool.RunPlan:
    """Return a plan as settings change it. Raises ``click.UsageError`` for a limit that does not exist."""
    if settings is None:
        return plan
    return msgspec.structs.replace(
        plan,
        limits=changed_limits(plan.limits, settings.limits),
        timing=plan.timing if settings.timing is None else settings.timing,
        strict=plan.strict if settings.strict is None else settings.strict,
        weights=settings.weights,
    )


def rules_of(settings: Settings | None) -> Rules | None:
    """Return how marks are reckoned; None if no settings say so."""
    return None if settings is None else Rules(settings.late, settings.extra_credit)
