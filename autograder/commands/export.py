"""``export``: the grades of a run, as another program takes them."""

from __future__ import annotations

import contextlib
import os
import tempfile
from pathlib import Path
from typing import Any

import click

from autograder import export as exports
from autograder import messages, model, results
from autograder.commands.rosters import NOTE, lines, names
from autograder.export import reading
from autograder.export.job import NOT_GRADED, ExportError, worth
from autograder.roster import Matching, match, read_roster, student_ids
from autograder.sheet import SheetError

FOLDER = "exports"  # in OUT
ONLY = {"column": "canvas", "columns": "csv", "wide": "csv"}  # options that one format has


def export(out: Path, to: str, **options: Any) -> int:
    """Writes OUT's grades in another format; 0 when all are in it, 1 when somebody's could not be placed. Raises
    click.UsageError."""
    target = options["output"] or out / FOLDER / exports.FORMATS[to].name
    try:
        _refuse(target, to, options)
        job = _job(out, options)
        product = exports.write(to, job)
        _put(target, product.files)
    except (ExportError, SheetError) as error:
        raise click.UsageError(str(error)) from error
    except OSError as error:
        raise click.UsageError(f"can't write {target}: {(error.strerror or str(error)).lower()}") from error
    if reading.unfinished(out):
        _say(
            f"{out} is of a run that has not finished; go on with attngrade grade --resume, then export anew"
        )
    _tell(job, product)
    click.echo(f"{to}: {target}")
    return 1 if product.left_out else 0


def _refuse(target: Path, to: str, options: dict[str, Any]) -> None:
    """Raises ExportError for a call that can't be meant so."""
    for name, of in ONLY.items():
        if options[name] and to != of:
            raise ExportError(f"--{name} is an option of --to {of}, not of --to {to}")
    if exports.FORMATS[to].edits_roster and options["roster"] is None:
        raise ExportError(f"--to {to} needs --roster, the file that {to.capitalize()} exported")
    if os.path.lexists(target) and not options["force"]:
        raise ExportError(f"{target} is already there; name another --output, or overwrite it with --force")
    if options["roster"] and os.path.realpath(target) == os.path.realpath(options["roster"]):
        raise ExportError(
            "--output is the roster itself; name another file, so that what it says is not lost"
        )


def _job(out: Path, options: dict[str, Any]) -> exports.Job:
    """What is to be written: the run's grades, and those of everybody else on the roster."""
    grades, written = reading.read_run(out)
    roster = read_roster(options["roster"]) if options["roster"] else None
    matching = match([grade.student for grade in grades], roster) if roster else None
    if matching:
        absent = _absent(grades, matching)
        written |= {grade.student: max(written.values()) for grade in absent}
        of = dict(zip((grade.student for grade in absent), matching.absent, strict=True))
        matching = matching._replace(found={**matching.found, **of})
        grades = tuple(sorted((*grades, *absent), key=lambda grade: grade.student))
    columns = [name.strip() for name in (options["columns"] or "").split(",")]
    return exports.Job(
        grades,
        written,
        roster,
        matching,
        options["missing_as_zero"],
        options["column"],
        tuple(filter(None, columns)),
        options["wide"],
    )


def _absent(grades: tuple[model.Grade, ...], matching: Matching) -> tuple[model.Grade, ...]:
    """A grade for everybody of whom nothing came, as ``grade`` writes one where there is no file."""
    first = grades[0]
    most = max(grade.max_score for grade in grades)
    people = student_ids(matching, [grade.student for grade in grades])
    return tuple(
        model.Grade(student, first.assignment, 0.0, most, "missing", (), first.environment, message=NOTE)
        for student in people
    )


def _put(target: Path, files: dict[str, bytes]) -> None:
    """Writes a file, or a folder with files, so that nobody ever sees half of it. Raises OSError or ExportError."""
    if "" in files:
        if target.is_dir():
            raise ExportError(f"{target} is a folder; name a file as --output")
        results.write_whole(target, files[""])
        return
    if os.path.lexists(target) and not _is_export(target):
        raise ExportError(f"{target} holds more than an earlier export; name another --output")
    target.parent.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory(dir=target.parent, prefix=f".{target.name}.") as part:
        new, old = Path(part) / "new", Path(part) / "old"
        for name, data in files.items():
            results.write_whole(new / name, data)
        with contextlib.suppress(FileNotFoundError):
            target.rename(old)
        try:
            new.rename(target)
        except OSError:
            if old.exists():
                old.rename(target)
            raise


def _is_export(folder: Path) -> bool:
    """Whether a folder is what an earlier export wrote, and nothing else."""
    if not folder.is_dir():
        return False
    return all(
        path.name == "scores.csv"
        or (path.is_dir() and [one.name for one in path.iterdir()] == ["results.json"])
        for path in folder.iterdir()
    )


def _tell(job: exports.Job, product: exports.Product) -> None:
    """Says on stderr what a person has to know: who has no score and why, who could not be placed, what was changed."""
    withheld = [grade for grade in job.grades if worth(grade, job.missing_as_zero) is None]
    for status in dict.fromkeys(grade.status for grade in withheld):
        named = [grade.student for grade in withheld if grade.status == status]
        why = (
            "our fault: grade them again" if status == "infrastructure-error" else "nothing could be checked"
        )
        why = "--missing-as-zero writes 0" if status in NOT_GRADED else why
        _say(f"no score is written for {len(named)} {status} ({why}): {names(named)}")
    for line in lines(job.matching, job.roster) if job.matching and job.roster else ():
        _say(line)
    for note in product.notes:
        _say(note)
    if product.left_out:
        _say(f"{len(product.left_out)} with a grade are NOT in the file: {names(product.left_out)}")


def _say(line: str) -> None:
    click.echo(f"attngrade: {messages.printable(line)}", err=True)
