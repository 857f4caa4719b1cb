"""``export``: the grades of a run in the format of another program."""

import os
from pathlib import Path

import click

from autograder.cli import options
from autograder.cli.errors import usage_errors, writing_to
from autograder.cli.finished_run import finished_run, journal_of, student_view, too_early, write_folder
from autograder.integrations import export
from autograder.integrations.export import reading
from autograder.integrations.export.job import ExportError
from autograder.integrations.export.scores import NOT_GRADED, worth
from autograder.report import progress
from autograder.report.summary import some
from autograder.runs import anonymity, results

FOLDER = "exports"  # in OUT


@click.command()
@click.argument("out", type=options.PATH)
@click.option("--to", type=click.Choice(tuple(export.FORMATS)), required=True, help="Program that reads the export.")
@click.option("--output", "-o", type=options.PATH, help="File or folder to write [default: in OUT/exports].")
@options.roster
@options.key
@click.option("--missing-as-zero", is_flag=True, help="Write 0 for students whose work is missing or unreadable.")
@click.option("--force", is_flag=True, help="Overwrite an earlier export.")
@click.option("--column", help="canvas: the assignment's column, by heading, title or id.")
@click.option("--columns", metavar="NAME,...", help="csv: only these columns.")
@click.option("--wide", is_flag=True, help="csv: one row for each student, with a column for the points of each check.")
@options.hidden_titles(default=None)
def export_command(
    out: Path,
    to: str,
    output: Path | None,
    roster: Path | None,
    key: Path | None,
    missing_as_zero: bool,
    force: bool,
    column: str | None,
    columns: str | None,
    wide: bool,
    hidden_titles: bool | None,
) -> int:
    """Write a run's grades in the format of another program."""
    target = output or out / FOLDER / export.FORMATS[to].name
    with usage_errors(ExportError, anonymity.KeyFileError):
        for option, owner, value in (("column", "canvas", column), ("columns", "csv", columns), ("wide", "csv", wide)):
            if value and to != owner:
                raise ExportError(f"--{option} is an option of --to {owner}, not of --to {to}")
        if hidden_titles and not export.FORMATS[to].for_students:
            owners = " and ".join(name for name, form in export.FORMATS.items() if form.for_students)
            raise ExportError(f"--hidden-titles is an option of --to {owners}, not of --to {to}")
        if key and (output is None or anonymity.lies_in(output, out)):
            raise ExportError(f"--key writes names; name an --output that is not in {out}")
        _refuse(target, to, roster, force)
        grades, written, comparison, matching = finished_run(out, roster, key)
        with journal_of(out) as journal:
            view = student_view(journal, hidden_titles)
        names = tuple(filter(None, (name.strip() for name in (columns or "").split(","))))
        job = export.Job(grades, written, comparison.roster, matching, missing_as_zero, column, names, wide, view)
        product = export.write(to, job)
        with writing_to(target):
            _write(target, product.files)
    if reading.unfinished(out):
        progress.warn(f"{out} is of a run that has not finished; go on with attngrade grade --resume, then export anew")
    if export.FORMATS[to].for_students and (early := too_early(view)):
        progress.warn(early)
    for line in (*_withheld(job), *comparison.messages(), *product.notes):
        progress.warn(line)
    if product.left_out:
        progress.warn(f"{len(product.left_out)} with a grade are NOT in the file: {some(product.left_out)}")
    click.echo(f"{to}: {target}")
    return 1 if product.left_out else 0


def _refuse(target: Path, to: str, roster: Path | None, force: bool) -> None:
    """Raise ``ExportError`` for a call that would lose something or can't work."""
    if export.FORMATS[to].edits_roster and roster is None:
        raise ExportError(f"--to {to} needs --roster, the file that {to.capitalize()} exported")
    if target.parent.is_symlink() and target.parent.name == FOLDER:
        raise ExportError(f"{target.parent} is a link; name an --output")
    if os.path.lexists(target) and not force:
        raise ExportError(f"{target} is already there; name another --output, or overwrite it with --force")
    if roster and os.path.realpath(target) == os.path.realpath(roster):
        raise ExportError("--output is the roster itself; name another file, so that what it says is not lost")


def _write(target: Path, files: dict[str, bytes]) -> None:
    """Write a file, or a folder of files. Raises OSError or ExportError."""
    if "" not in files:
        write_folder(target, files, _is_ours)
        return
    if target.is_dir():
        raise ExportError(f"{target} is a folder; name a file as --output")
    results.write_whole(target, files[""])


def _is_ours(path: Path) -> bool:
    """Return whether an export to Gradescope writes this into its folder."""
    return path.name == "scores.csv" or (path.is_dir() and [file.name for file in path.iterdir()] == ["results.json"])


def _withheld(job: export.Job) -> list[str]:
    """Return who gets no score, and why: a line for each status."""
    students: dict[str, list[str]] = {}
    for grade in job.grades:
        if worth(grade, job.missing_as_zero) is None:
            students.setdefault("excused" if grade.excused else grade.status, []).append(grade.student)
    reasons = dict.fromkeys(NOT_GRADED, "--missing-as-zero writes 0")
    reasons["infrastructure-error"] = "our fault: grade them again"
    reasons["excused"] = "a person excused them"
    lines = []
    for status, names in students.items():
        reason = reasons.get(status, "nothing could be checked")
        lines.append(f"no score is written for {len(names)} {status} ({reason}): {some(names)}")
    return lines
