"""``otter prepare``: what can be computed before the first submission arrives."""

import click

from autograder.cli.checkout import ROOT
from autograder.cli.commands.otter.autograde import bundle_settings
from autograder.grading import suite
from autograder.grading.seed import course_seed
from autograder.integrations.otter import bundle as bundles
from autograder.sandbox import availability


@click.command(hidden=True)
def prepare_command() -> int:
    """Compute the expected values of an autograder.zip and try its confinement; runs inside one."""
    settings = bundle_settings()
    checks = suite.full(settings.assignment, course_seed(ROOT / bundles.SEED), settings.timing)
    for case in checks.prepared:
        checks.variant_answers(case)
    for name, reason in availability.missing("cpu").items():
        click.echo(f"not here: {name} ({reason})")
    gap = availability.warning()
    click.echo("Nothing is graded here without --unconfined." if gap else "Submissions are confined here.")
    return 0
