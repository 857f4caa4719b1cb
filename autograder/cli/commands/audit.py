"""``audit``: how well the grader grades, measured on submissions whose verdict is known."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING

import click

from autograder import protocol
from autograder.assignments import NAMES
from autograder.cli import options
from autograder.cli.checkout import ROOT
from autograder.cli.errors import usage_errors
from autograder.runs import pool

if TYPE_CHECKING:
    from autograder.instructor.audit.figures import Figures


@click.command()
@click.argument("assignments", nargs=-1, type=options.ASSIGNMENT, metavar="[ASSIGNMENT]...")
@click.option(
    "--corpus", type=options.FOLDER, help="Folder with one corpus per assignment [default: tests/assignments]."
)
@click.option("--seed", default="audit", show_default=True, help="Seed of the hidden inputs.")
@click.option("--dtype", type=click.Choice(("float32", "float64")), help="Use inputs of one dtype only.")
@click.option("--no-mutants", is_flag=True, help="Leave the mutants of the solutions out.")
@click.option("--all", "every_check", is_flag=True, help="Show for every check what it catches.")
@options.jobs
@options.json
def audit_command(
    assignments: tuple[str, ...],
    corpus: Path | None,
    seed: str,
    dtype: protocol.Dtype | None,
    no_mutants: bool,
    every_check: bool,
    jobs: int | None,
    as_json: bool,
) -> int:
    """Measure the grader on submissions with known verdicts."""
    with usage_errors():
        from autograder.cli.auditing import CorpusError, audited, reported
    folder = corpus or ROOT / "tests" / "assignments"
    if not folder.is_dir():
        raise click.UsageError(f"there is no corpus at {folder}; work in a checkout, or name one with --corpus")

    def measured() -> Iterator[Figures]:
        for assignment in assignments or NAMES:
            if sys.stderr.isatty():
                click.echo(f"{assignment}: grading its corpus; this takes minutes", err=True)
            mutants = 0 if no_mutants else 1
            yield audited(assignment, folder / assignment, seed, dtype, mutants, jobs=jobs or pool.cores())

    with usage_errors(CorpusError):
        return reported(measured(), every_check, as_json)
