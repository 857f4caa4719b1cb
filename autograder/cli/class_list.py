"""Who is graded in a run: submissions, the roster beside them, deadlines, and ids in place of names."""

from pathlib import Path
from typing import NamedTuple

from autograder import model
from autograder.cli.grading import entries_of
from autograder.cli.rosters import RosterComparison
from autograder.cli.sense import refuse_senseless
from autograder.course.deadlines import Deadlines, read_deadlines
from autograder.course.lateness import LateRule
from autograder.course.lookup import Students
from autograder.report import progress
from autograder.runs import anonymity

NO_ZONE = (
    "the worksheet says when each work was handed in, but not in which time zone; write timezone = "
    '"Europe/Berlin" or the like under [late] in assignment.toml'
)


class Options(NamedTuple):
    """What a call of ``grade`` says of the class."""

    submissions: Path
    out: Path
    assignment: str
    layout: str
    roster: Path | None
    deadlines: Path | None
    anonymous: bool
    allow_empty: bool
    log_json: bool


class ClassList(NamedTuple):
    """The entries of a class, sorted by student. ``key`` maps ids to students, and is empty unless ids are used."""

    entries: list[model.Entry]
    roster: RosterComparison
    deadlines: Deadlines | None
    key: dict[str, str]


def class_list(options: Options, late: LateRule | None) -> ClassList:
    """Return who is graded. Raises ``IntakeError``, ``SheetError``, ``KeyFileError`` or ``SenselessRun``."""
    entries = entries_of(options.submissions, options.out, options.assignment, options.layout, options.log_json)
    numbers = {entry.student: entry.handed_in.lms_id for entry in entries}
    roster = RosterComparison(options.roster, [entry.student for entry in entries], numbers)
    if not options.allow_empty:
        refuse_senseless(entries, options.assignment, roster)
    due = read_deadlines(options.deadlines) if options.deadlines else None
    if late and late.timezone:
        entries = roster.dated(entries, late.timezone)
    elif roster.has_dates and (due or (late and late != LateRule())):
        progress.warn(NO_ZONE, options.log_json)
    entries = sorted([*entries, *roster.absent], key=lambda entry: entry.student)
    if not options.anonymous:
        return ClassList(entries, roster, due, {})
    students = [entry.student for entry in entries]
    key = anonymity.with_new(anonymity.key_of(options.out), students)
    known = Students(dict.fromkeys(students, model.Identity()) | roster.identities(students))
    due = due and anonymity.renamed_deadlines(due, known, key)
    return ClassList(anonymity.renamed(entries, key), roster, due, key)
