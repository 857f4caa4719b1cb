"""``author suggest``: checks for a course's assignment, from its solution and its reference."""

from __future__ import annotations

import sys
from collections.abc import Sequence
from typing import TYPE_CHECKING

import click

from autograder.assignments import NAMES, places
from autograder.cli import options
from autograder.cli.course_assignments import chosen
from autograder.cli.errors import usage_errors, writing_to
from autograder.cli.output import print_json
from autograder.model.courses import CourseError
from autograder.report import terminal
from autograder.runs import pool
from autograder.runs.results import write_whole

if TYPE_CHECKING:
    from autograder.instructor.authoring.suggest.suggestion import Suggestion


@click.command()
@options.names
@click.option(
    "--inputs",
    "lines",
    multiple=True,
    metavar="CALL",
    help="What a call takes, where its docstring does not say it: 'f(x=\"B T\", steps=2)'. Can be given again.",
)
@click.option(
    "--write", is_flag=True, help="Write checks.py and hidden_checks.py, if both are still as author new made them."
)
@click.option("--seed", default="suggest", show_default=True, help="Seed of the inputs.")
@options.jobs
@options.json
def suggest_command(
    names: tuple[str, ...], lines: tuple[str, ...], write: bool, seed: str, jobs: int | None, as_json: bool
) -> int:
    """Propose checks from solution and reference.

    They are the properties that the reference is found to have, as lines of checks.py. No checks are needed. It also
    says which mutants of the solution they catch.
    """
    picked = _picked(names)
    with usage_errors(extra="instructor"):
        from autograder.cli import suggesting
        from autograder.instructor.authoring import first
        from autograder.report.suggesting import print_suggestion
    for name in picked if write else ():
        if name not in places.of_courses():
            raise click.UsageError(f"{name} comes with attngrade, and its checks stay as they are; leave --write away")
        if kept := first.changed(name, places.folder(name), ("checks.py", "hidden_checks.py")):
            raise click.UsageError(f"{kept} holds your work; leave --write away, and paste the lines that you want")
    found: list[Suggestion] = []
    expected = (
        suggesting.DeclaredError,
        suggesting.CorpusError,
        suggesting.NothingToSuggest,
        CourseError,
        OSError,
        SyntaxError,
    )
    for name in picked:
        if sys.stderr.isatty():
            click.echo(f"{name}: trying calls, then grading mutants; this takes minutes", err=True)
        with usage_errors(*expected):
            one = suggesting.suggested(name, lines, seed, jobs or pool.cores())
        found.append(one)
        if write:
            _write(one)
        if not as_json:
            print_suggestion(terminal.console(), one, with_files=not write)
    if as_json:
        print_json(found)
    return 1 if any(one.missing for one in found) else 0


def _picked(names: Sequence[str]) -> tuple[str, ...]:
    """Return the assignments: of a course, or of the package if they are named."""
    if names and all(name in NAMES for name in names):
        return tuple(names)
    return chosen(names)


def _write(one: Suggestion) -> None:
    for file, text in one.files.items():
        path = places.folder(one.assignment) / file
        with writing_to(path):
            write_whole(path, text.encode())
        click.echo(f"written: {path}", err=True)
