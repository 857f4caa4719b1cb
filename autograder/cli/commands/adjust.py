"""``adjust``: what people decide about marks. It is kept in the journal, and marks are reckoned anew."""

import contextlib
from pathlib import Path

import click

from autograder import model
from autograder.cli import options
from autograder.cli.deciding import Desk
from autograder.cli.errors import usage_errors
from autograder.cli.output import print_json
from autograder.course import decisions
from autograder.course.decisions import CHANGE, DecisionError
from autograder.course.lateness import LateError
from autograder.course.lookup import LookupFailed
from autograder.model.text import harmless, visible
from autograder.report import changes, progress, terminal
from autograder.report.web import write_report
from autograder.runs import history, journal, people
from autograder.runs.run_folder import RunFolder

SETTINGS = {"ignore_unknown_options": True}  # -3 is a change, not an option


@click.command(context_settings=SETTINGS)
@click.argument("out", type=options.PATH)
@click.argument("words", nargs=-1, metavar="[STUDENT [CHECK|PART] [CHANGE]]")
@click.option("--reason", default="", help="Why, for colleagues to read; required.")
@click.option("--by", default="", help="Who decides [default: the account that runs the command].")
@click.option("--excuse", is_flag=True, help="Excuse the student: no score is written anywhere.")
@click.option("--extend", metavar="2d|TIME", help="Give the student more time, or another deadline.")
@click.option("--exempt", is_flag=True, help="Exempt the student from the late penalty, or from the check or part.")
@click.option("--accept", metavar="CHECK|CAUSE", help="Accept this as right for everybody; shows what it changes.")
@click.option("--apply", is_flag=True, help="With --accept: write it.")
@click.option("--csv", "table", type=options.FILE, help="Decide as a file says: student, target, change, reason.")
@click.option("--undo", is_flag=True, help="Undo the student's last decision, or with --accept that one.")
@click.option("--list", "listed", is_flag=True, help="List all decisions of the run.")
@options.json
def adjust_command(
    out: Path,
    words: tuple[str, ...],
    reason: str,
    by: str,
    excuse: bool,
    extend: str | None,
    exempt: bool,
    accept: str | None,
    apply: bool,
    table: Path | None,
    undo: bool,
    listed: bool,
    as_json: bool,
) -> int:
    """Decide about marks in a graded folder.

    CHANGE is +POINTS, -POINTS or =POINTS. STUDENT is an id, an e-mail address or a name."""
    if stray := next((word for word in words if word.startswith("--")), None):
        raise click.NoSuchOption(stray, ctx=click.get_current_context())
    flags = {"excuse": excuse, f"extend {extend}": extend is not None, "exempt": exempt, "undo": undo}
    given = [name for name, on in flags.items() if on]
    with usage_errors(DecisionError, LookupFailed, LateError), history.untouched(out) as old:
        _refuse_mixed(words, given, accept, table, listed)
        if listed:
            return _list(people.log(old), as_json)
        desk = Desk(old, reason, by)
        if accept is not None:
            made = [desk.undo_accept(accept) if undo else desk.accept(accept)]
        elif table is not None:
            made = desk.table(table)
        else:
            made = [_about_one(desk, words, given)]
        before, after = people.Marks(old), people.Marks(old, made)
        shown = list(desk.effects(before, after, {one.student for one in made}))
    if accept is not None and not apply and not undo:
        _print(shown, as_json)
        click.echo("Nothing has been written; --apply writes it.", err=as_json)
        return 0
    with usage_errors():
        _write(out, made)
    _print(shown, as_json)
    return 0


def _refuse_mixed(
    words: tuple[str, ...], given: list[str], accept: str | None, table: Path | None, listed: bool
) -> None:
    """Raise ``DecisionError`` for a call that says two things at once, or nothing."""
    ways = {"--list": listed, "--csv": table is not None, "--accept": accept is not None, "STUDENT": bool(words)}
    named = [way for way, on in ways.items() if on]
    if len(named) != 1:
        raise DecisionError(f"name one of {', '.join(ways)}; got {' and '.join(named) or 'none'}")
    wrong = [name for name in given if not (name == "undo" and accept is not None)]
    if not words and wrong:
        raise DecisionError(f"--{wrong[0].partition(' ')[0]} needs a STUDENT")


def _about_one(desk: Desk, words: tuple[str, ...], given: list[str]) -> model.Decision:
    """Return the decision that the words of a call make."""
    student, *rest = words
    if rest and CHANGE.fullmatch(rest[-1]):
        given = [*given, rest.pop()]
    if len(given) != 1 or len(rest) > 1:
        raise DecisionError(f"{visible(' '.join(words[1:])) or 'this'} says no single change; {decisions.EXPECTED}")
    target = rest[0] if rest else ""
    return desk.undo(student, target) if given == ["undo"] else desk.change(student, target, given[0])


def _write(out: Path, made: list[model.Decision]) -> None:
    """Store decisions, and write what they change. Raises JournalError or OutputError."""
    assignment = journal.owner(out / "journal.sqlite") or ""
    with contextlib.closing(RunFolder(out, assignment, resume=True)) as folder:
        folder.decide(made)
        folder.rewrite_results()
        if (out / "grades.csv").exists():
            folder.finish(write_report)
        else:
            progress.warn("the run has not finished; go on with attngrade grade --resume, which writes the table")


def _list(log: list[model.Decision], as_json: bool) -> int:
    if as_json:
        print_json(log)
        return 0
    counting = list(decisions.active(log))
    for one in log:
        if one in counting:
            counting.remove(one)
            undone = ""
        else:
            undone = "" if one.kind == "undo" else " (undone)"
        about = f"{visible(one.student)}: " if one.student else ""
        reason = f": {one.reason}" if one.reason else ""
        click.echo(harmless(f"{one.at}  {one.by}  {about}{decisions.words(one)}{undone}{reason}"))
    if not log:
        click.echo("Nobody has decided anything.")
    return 0


def _print(shown: list[tuple[str, model.Grade, model.Grade]], as_json: bool) -> None:
    if as_json:
        facts = [(grade.student, was.final, grade.final) for _, was, grade in shown]
        print_json([dict(zip(("student", "before", "after"), fact, strict=True)) for fact in facts])
    else:
        changes.print_effects(terminal.console(), shown)
