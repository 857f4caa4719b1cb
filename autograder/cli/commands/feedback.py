"""``feedback``: what goes back to the students of a run, a page each."""

import os
from pathlib import Path

import click

from autograder import assignments, model
from autograder.cli import options, students
from autograder.cli.errors import usage_errors, writing_to
from autograder.cli.finished_run import FinishedRun, finished_run, journal_of, student_view, too_early, write_folder
from autograder.feedback import shown
from autograder.integrations import feedback_zips
from autograder.integrations.export import reading
from autograder.integrations.export.job import ExportError
from autograder.report import progress
from autograder.report.feedback_text import markdown
from autograder.report.summary import some
from autograder.report.web.student_page import student_page
from autograder.runs import anonymity, history, results, student_code
from autograder.runs.journal import Journal

FOLDER = "feedback"  # in OUT
SUFFIXES = (".html", ".md")


@click.command()
@click.argument("out", type=options.PATH)
@click.option(
    "--to",
    type=click.Choice(tuple(feedback_zips.TARGETS)),
    help="Write one zip for a program, not a folder with two files for each student.",
)
@students.only(help="Write the files of this student only; can be given again.")
@click.option("--output", "-o", type=options.PATH, help="Folder or zip to write [default: in OUT].")
@options.roster
@options.key
@click.option("--early", is_flag=True, help="Write it before students may see it by the course's settings.")
@click.option("--force", is_flag=True, help="Overwrite an earlier zip.")
@options.hidden_titles(default=None)
def feedback_command(
    out: Path,
    to: str | None,
    only: tuple[str, ...],
    output: Path | None,
    roster: Path | None,
    key: Path | None,
    early: bool,
    force: bool,
    hidden_titles: bool | None,
) -> int:
    """Write what students get back: marks, what to mend, hints.

    What they see of hidden checks is set in assignment.toml, under [students]; by default the cause and a hint."""
    target = output or (out / "exports" / f"{to}-feedback.zip" if to else out / FOLDER)
    with usage_errors(ExportError, anonymity.KeyFileError), journal_of(out) as journal:
        if key and (output is None or anonymity.lies_in(output, out)):
            raise ExportError(f"--key writes names; name an --output that is not in {out}")
        if to and os.path.lexists(target) and not force:
            raise ExportError(f"{target} is already there; name another --output, or overwrite it with --force")
        run = finished_run(out, roster, key)
        view = student_view(journal, hidden_titles)
        if not early and (reason := too_early(view)):
            raise ExportError(f"{reason}; --early writes it all the same")
        named = students.find_all(only, {grade.student for grade in run.grades}, f"in {out}") if only else None
        grades = [grade for grade in run.grades if named is None or grade.student in named]
        failed = [grade.student for grade in grades if grade.status == "infrastructure-error"]
        seen = [shown.as_seen(grade, view) for grade in grades if grade.status != "infrastructure-error"]
        left_out: list[str] = []
        with writing_to(target):
            if to:
                left_out = _write_zip(target, to, seen, run, _Pages(journal))
            else:
                _write_files(target, seen, _Pages(journal), whole=named is None)
    if reading.unfinished(out):
        progress.warn(f"{out} is of a run that has not finished; go on with attngrade grade --resume first")
    if failed:
        progress.warn(f"no feedback for {len(failed)} whom the grader failed; grade them again: {some(failed)}")
    absent = [grade.student for grade in seen if grade.student in left_out and grade.status == "missing"]
    unknown = [student for student in left_out if student not in absent]
    if absent:
        progress.warn(f"not in the zip, as they handed nothing in: {some(absent)}")
    if unknown and to:
        name = feedback_zips.TARGETS[to].name
        progress.warn(f"{len(unknown)} are NOT in the zip, as {name}'s number of them is not known: {some(unknown)}")
    count = len(seen) - len(left_out)
    click.echo(f"{count} {'student' if count == 1 else 'students'}: {target}")
    if to:
        click.echo(f"{feedback_zips.TARGETS[to].name} takes it at: {feedback_zips.TARGETS[to].where}")
    return 1 if unknown else 0


class _Pages:
    """Makes the files of one student. With a journal, the page has the code and the earlier attempts."""

    def __init__(self, journal: Journal | None) -> None:
        self.journal = journal

    def made(self, grade: model.Grade, suffix: str) -> bytes:
        """Return the page or the text. ``grade`` is as its student sees it."""
        title = assignments.load(grade.assignment).title
        if suffix != ".html":
            return markdown(grade, title).encode("utf-8", "replace")
        cells = student_code.of(self.journal, grade.student) if self.journal else ()
        earlier = history.history(self.journal, grade.student) if self.journal else ()
        return student_page(grade, title, staff=False, cells=cells, earlier=earlier).encode("utf-8", "replace")


def _write_files(target: Path, grades: list[model.Grade], pages: _Pages, *, whole: bool) -> None:
    """Write a page and a text for each student: as the whole folder, or beside what is there."""
    files = {
        f"{results.file_name(grade.student)}{suffix}": pages.made(grade, suffix)
        for grade in grades
        for suffix in SUFFIXES
    }
    if whole:
        write_folder(target, files, lambda path: path.suffix in SUFFIXES and path.is_file())
    for name, data in () if whole else files.items():
        results.write_whole(target / name, data)


def _write_zip(target: Path, to: str, grades: list[model.Grade], run: FinishedRun, pages: _Pages) -> list[str]:
    """Write a zip, and return the students that are not in it."""
    people = run.matching.found if run.matching else {}
    files: dict[str, bytes] = {}
    left_out = []
    for grade in grades:
        if name := feedback_zips.place(to, grade, people.get(grade.student)):
            files[name] = pages.made(grade, feedback_zips.TARGETS[to].suffix)
        else:
            left_out.append(grade.student)
    if not files:
        name, hint = feedback_zips.TARGETS[to].name, feedback_zips.TARGETS[to].numbers
        raise ExportError(f"{name}'s numbers of these students are not known; {hint}")
    results.write_whole(target, feedback_zips.packed(files))
    return left_out
