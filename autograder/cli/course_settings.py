"""The settings of a course for one run: those of ``--config``, or of ``assignment.toml`` among the submissions."""

from collections.abc import Mapping
from pathlib import Path

import click
import msgspec

from autograder import model
from autograder.cli.grading import changed_limits
from autograder.course.marks import Rules
from autograder.course.settings import NAME, Settings, SettingsError, read_settings
from autograder.feedback import causes
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
        return read_settings(path, spec, causes.of(spec.assignment))
    except SettingsError as error:
        raise click.UsageError(str(error)) from error


def planned(
    plan: pool.RunPlan,
    settings: Settings | None,
    limits: Mapping[str, float],
    timing: bool | None = None,
    strict: bool | None = None,
) -> pool.RunPlan:
    """Return a plan as settings change it, and then the command's options: ``limits``, ``timing`` and ``strict``.

    None means that nothing is said. Raises ``click.UsageError`` for a limit that does not exist.
    """
    if settings is not None:
        plan = planned(plan, None, settings.limits, settings.timing, settings.strict)
        plan = msgspec.structs.replace(plan, weights=settings.weights)
    return msgspec.structs.replace(
        plan,
        limits=changed_limits(plan.limits, limits),
        timing=plan.timing if timing is None else timing,
        strict=plan.strict if strict is None else strict,
    )


def noted(settings: Settings | None) -> tuple[Rules | None, model.StudentView | None]:
    """Return what a run notes of its settings: how marks are reckoned, and what students see; None for no settings."""
    return rules_of(settings), None if settings is None else settings.students


def rules_of(settings: Settings | None) -> Rules | None:
    """Return how marks are reckoned; None if no settings say so."""
    return None if settings is None else Rules(settings.late, settings.extra_credit)
