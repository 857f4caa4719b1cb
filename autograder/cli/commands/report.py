"""``report``: writes the report of a run anew, and its figures as a table."""

import contextlib
from collections.abc import Iterable, Iterator
from functools import partial
from pathlib import Path

import click

from autograder import model
from autograder.cli import options
from autograder.cli.errors import usage_errors, writing_to
from autograder.integrations.export.job import csv_file
from autograder.report import progress
from autograder.report.mistakes import parts
from autograder.report.web import write_report
from autograder.runs import journal, results
from autograder.runs.alike import Alike, alike
from autograder.runs.journal import JournalError
from autograder.runs.run_folder import RunFolder

HEADER = (
    *("student", "name", "section", "status", "score", "final_score", "max_score", "days_late"),
    *("part", "points", "max_points", "causes"),
)


@click.command()
@click.argument("out", type=options.FOLDER)
@click.option("--csv", "table", type=options.FILE, help="Write the figures too: a row for each part of each student.")
@click.option("--alike", "with_alike", is_flag=True, help="List submissions with the same rare wrong answers.")
def report_command(out: Path, table: Path | None, with_alike: bool) -> int:
    """Write the report of a graded folder anew.

    It makes OUT/report/index.html, and a page for each student.
    """
    with usage_errors():
        assignment = journal.owner(out / "journal.sqlite")
        if assignment is None:
            raise JournalError(journal.NO_RUN.format(out))
        with contextlib.closing(RunFolder(out, assignment, resume=True)) as folder:
            pairs = alike(folder.journal.grades()) if with_alike else []
            grades = folder.finish(partial(write_report, alike=pairs))
            if table:
                with writing_to(table):
                    results.write_whole(table, csv_file(HEADER, _rows(grades)))
    click.echo(f"Report:  {out / 'report' / 'index.html'}")
    if table:
        click.echo(f"Figures: {table}")
    if with_alike:
        _print(pairs)
    return 0


def _rows(grades: Iterable[model.Grade]) -> Iterator[list[str]]:
    """Yield a row for each part of each student; one without a part for who has no checks."""
    for grade in grades:
        known = [grade.student, grade.name, grade.section, grade.status]
        known += [_number(value) for value in (grade.score, grade.final, grade.max_score, grade.days_late)]
        found = [part for part in parts(grade.checks) if part.max_points]
        for part in found:
            causes = dict.fromkeys(check.diagnosis for check in part.checks if check.diagnosis)
            yield [*known, part.name, _number(part.points), _number(part.max_points), ";".join(causes)]
        if not found:
            yield [*known, "", "", "", ""]


def _number(value: float | None) -> str:
    return "" if value is None else f"{value:.10g}"


def _print(pairs: list[Alike]) -> None:
    click.echo("\nThe same rare wrong answers. That is no evidence; look at the work.")
    for pair in pairs:
        click.echo(f"  {pair.first}, {pair.second}: {', '.join(pair.checks)}")
    if not pairs:
        progress.warn("no two submissions share rare wrong answers")
