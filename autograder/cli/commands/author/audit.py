"""``author audit``: how good the checks of a course's assignment are."""

import click

from autograder.assignments import places
from autograder.cli import options
from autograder.cli.course_assignments import chosen
from autograder.cli.errors import usage_errors
from autograder.runs import pool


@click.command()
@options.names
@click.option("--seed", default="audit", show_default=True, help="Seed of the hidden inputs.")
@click.option("--all", "every_check", is_flag=True, help="Show for every check what it catches.")
@options.jobs
@options.json
def audit_command(names: tuple[str, ...], seed: str, every_check: bool, jobs: int | None, as_json: bool) -> int:
    """Measure the checks on submissions with known verdicts.

    These are the ones in submissions/, and small mistakes made by rule in the solution. It lists each that gets all
    points, with what was changed, and each mistake that costs more than it may.
    """
    with usage_errors(extra="instructor"):
        from autograder.cli.auditing import CorpusError, audited, reported
    with usage_errors(CorpusError):
        found = (audited(one, places.place(one).corpus, seed, jobs=jobs or pool.cores()) for one in chosen(names))
        return reported(found, every_check, as_json)
