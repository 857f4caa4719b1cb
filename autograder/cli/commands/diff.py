"""``diff``: how the marks and the code of two students differ, or what changed from a student's last attempt."""

import difflib
from pathlib import Path
from typing import NamedTuple

import click
import msgspec

from autograder import assignments, intake
from autograder.cli import earlier, options, students
from autograder.cli.errors import usage_errors
from autograder.cli.grading import LAYOUT
from autograder.cli.output import print_json
from autograder.cli.pages import write_page
from autograder.grading import fingerprints
from autograder.intake.one_file import one_file
from autograder.model.text import visible
from autograder.report import differences as printed
from autograder.report import terminal
from autograder.report.web.compared_page import difference_page
from autograder.runs import differences, history, people
from autograder.runs.history import Row
from autograder.runs.journal import Journal

LONGEST = 5000  # lines of a file that is compared
NOT_KEPT = "The code of the earlier attempt is not kept here, only its grade: compare with what your LMS keeps."


class _Code(NamedTuple):
    """The lines of a unified diff, or a note that says why there are none."""

    lines: tuple[str, ...] = ()
    note: str = ""


@click.command()
@click.argument("out", type=options.FOLDER)
@click.argument("student")
@click.argument("other", required=False, metavar="[OTHER]")
@click.option("--submissions", type=options.PATH, help="Folder of the submissions [default: as graded].")
@click.option("--layout", type=LAYOUT, help="Layout of the folder of the submissions [default: as graded].")
@click.option("--html", "page", type=options.FILE, help="Write a page, not text.")
@options.json
def diff_command(
    out: Path,
    student: str,
    other: str | None,
    submissions: Path | None,
    layout: str | None,
    page: Path | None,
    as_json: bool,
) -> int:
    """Compare two students' marks and code.

    With one student, compare the last two attempts.
    """
    with usage_errors(), history.untouched(out) as old:
        known, marks = old.others(set()), people.Marks(old)
        first = _row(old, student, known)
        now = marks.composed(first.grade)
        if other is None:
            attempt = differences.last_attempt(out, old, first.grade)
            if attempt is None:
                raise click.UsageError(f"{visible(first.student)} has one grade only; name another student to compare")
            found = differences.difference(attempt.grade, now, (f"until {attempt.until}", "now"))
            code = _Code(note=NOT_KEPT)
        else:
            second = _row(old, other, known)
            names = (first.student, second.student)
            found = differences.difference(now, marks.composed(second.grade), names)
            code = _compared(old, (first, second), submissions, layout)
    if as_json:
        facts = msgspec.to_builtins(found) | {"by": found.by, "code": list(code.lines), "code_note": code.note}
        print_json({"student": first.student, **facts})
        return 0
    if page:
        title = assignments.load(old.assignment).title
        write_page(page, difference_page(found, code.lines, code.note, title))
        click.echo(f"Page: {page}")
        return 0
    console = terminal.console()
    printed.print_difference(console, found)
    printed.print_code(console, code.lines, code.note)
    return 0


def _row(old: Journal, student: str, known: list[str]) -> Row:
    """Return a student's row. Raises ``click.UsageError`` for somebody without a grade."""
    found = history.row(old, students.find(student, known, "in this run"))
    assert found is not None
    return found


def _compared(old: Journal, rows: tuple[Row, Row], submissions: Path | None, layout: str | None) -> _Code:
    """Return the difference of two students' code as graded, a notebook's cells one after another."""
    try:
        folder = earlier.submissions_of(old, submissions, "diff OUT A B --submissions FOLDER")
    except click.UsageError as error:
        if submissions is not None:
            raise
        return _Code(note=f"The code is not compared: {error.message}.")
    with intake.opened(folder) as place:
        return _compared_in(place, old, rows, layout)


def _compared_in(folder: Path, old: Journal, rows: tuple[Row, Row], layout: str | None) -> _Code:
    discovered = intake.discover(folder, old.assignment, layout or old.noted("layout") or "auto")
    entries = {entry.student: entry for entry in discovered}
    texts = []
    for row in rows:
        work = intake.read(entries[row.student], old.assignment) if row.student in entries else None
        if work is None or fingerprints.of_submission(work) != row.work:
            return _Code(
                note=f"The code of {visible(row.student)} as graded is not kept: the submission has changed since."
            )
        texts.append(one_file(work).text.split("\n"))
    if max(map(len, texts)) > LONGEST:
        return _Code(note=f"The code is not compared: a file has more than {LONGEST} lines.")
    names = [visible(row.student) for row in rows]
    lines = tuple(difflib.unified_diff(texts[0], texts[1], names[0], names[1], lineterm=""))
    return _Code(lines, "" if lines else "The code is the same.")
