"""``show``: one student's result in full, or its history."""

import contextlib
from pathlib import Path

import click
import msgspec
from rich.text import Text

from autograder import model
from autograder.cli import options
from autograder.cli.errors import usage_errors
from autograder.cli.output import print_json
from autograder.course.decisions import words
from autograder.course.lookup import LookupFailed, Students
from autograder.model.text import harmless, spellings, visible
from autograder.report import terminal
from autograder.report.mistakes import lost, next_to_write
from autograder.report.summary import number, score
from autograder.runs import anonymity, history, people, results


@click.command()
@click.argument("out", type=options.PATH)
@click.argument("student")
@click.option("--history", "with_history", is_flag=True, help="List what was decided and regraded: who, what and when.")
@options.key
@options.json
def show_command(out: Path, student: str, with_history: bool, key: Path | None, as_json: bool) -> int:
    """Show one student's result from a graded folder.

    STUDENT is an id, an e-mail address, or a name as the roster has it, such as "Ada Byron" or "Byron, Ada"."""
    with usage_errors(LookupFailed, anonymity.KeyFileError):
        named = anonymity.read_key(key) if key else {}
        ids = {name: id for id, name in named.items()}
        meant = ids.get(student, student)
        if with_history:
            _show_history(out, meant, named, as_json)
        else:
            _show_result(out, meant, named, as_json)
    return 0


def _show_result(out: Path, student: str, named: dict[str, str], as_json: bool) -> None:
    """Print a result. ``named`` are those of an anonymous run by their ids."""
    grade = _found(out, student)
    grade = msgspec.structs.replace(grade, student=named.get(grade.student, grade.student))
    if as_json:
        print_json(grade)
        return
    console = terminal.console()
    name = f"{visible(grade.name)} ({visible(grade.student)})" if grade.name else visible(grade.student)
    console.print(Text.assemble((name, "bold"), f"  {grade.assignment}: {_score(grade)}"))
    if grade.message:
        console.print(Text(harmless(grade.message), "yellow"))
    if grade.file:
        when = f", handed in {grade.handed_in}" if grade.handed_in else ""
        console.print(Text(harmless(f"{grade.file}{when}"), "dim"))
    if grade.token:
        console.print(Text(f"token: {grade.token}", "dim"))
    terminal.decisions(console, grade)
    terminal.checks(console, grade)
    terminal.failures(console, grade, step=next_to_write(grade, "its file"))


def _found(out: Path, student: str) -> model.Grade:
    """Return the result of the student that is meant. Others' results are read only if no file has the name."""
    folder = out / "results"
    if not folder.is_dir():
        raise click.UsageError(f"{out} holds no results; it must be the --out folder of attngrade grade")
    paths = [folder / f"{results.file_name(name)}.json" for name in spellings(student)]
    path = next((path for path in paths if path.exists()), None) or _named(folder, student)
    try:
        return results.read_result(path)
    except results.ResultError as error:
        raise click.UsageError(str(error)) from error


def _named(folder: Path, text: str) -> Path:
    """Return the result of the student with this name or address. Raises LookupFailed."""
    students: dict[str, model.Identity] = {}
    for path in folder.glob("*.json"):
        with contextlib.suppress(results.ResultError):  # of somebody else
            students |= Students.of([results.read_result(path)]).identities
    return folder / f"{results.file_name(Students(students).one(text))}.json"


def _show_history(out: Path, student: str, named: dict[str, str], as_json: bool) -> None:
    """Print what was decided and regraded, the oldest first, and the present grade."""
    with history.untouched(out) as journal:
        marks = people.Marks(journal)
        found = marks.students.one(student)
        row = history.row(journal, found)
        if row is None:
            raise LookupFailed(f"{visible(found)} has no grade")
        earlier = history.history(journal, found)
        decided = [one for one in people.log(journal) if one.student in (found, model.EVERYBODY)]
        now = marks.composed(row.grade)
    if as_json:
        print_json({"student": named.get(found, found), "history": earlier, "decisions": decided, "now": now})
        return
    events = [(one.at, _regraded(one)) for one in earlier]
    events += [(one.at, f"{one.at}: {_decided(one)}") for one in decided]
    for _, text in sorted(events, key=lambda event: event[0]):
        click.echo(harmless(text))
    click.echo(harmless(f"now: {_score(now)}{_failed(now)}"))


def _regraded(one: history.ReplacedGrade) -> str:
    by = f"; regraded by {one.by}" if one.by else ""
    return f"until {one.at}: {_score(one.grade)}{by}{_failed(one.grade)}"


def _decided(one: model.Decision) -> str:
    reason = f": {one.reason}" if one.reason else ""
    return f"{one.by} decided: {words(one)}{reason}"


def _failed(grade: model.Grade) -> str:
    failed = ", ".join(check.id for check in lost(grade))
    return f"; failed: {failed}" if failed else ""


def _score(grade: model.Grade) -> str:
    if grade.excused:
        return f"excused, {grade.status}"
    return f"{score(grade.final)} of {number(grade.max_score)} points, {grade.status}"
