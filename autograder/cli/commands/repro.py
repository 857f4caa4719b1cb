"""``repro``: one student's code at one check, as a script for a debugger. For staff only."""

import os
from pathlib import Path

import click
import msgspec

from autograder import intake, model
from autograder.cli import earlier, options, students
from autograder.cli.errors import usage_errors, writing_to
from autograder.cli.grading import LAYOUT
from autograder.grading import fingerprints
from autograder.grading.seed import course_seed
from autograder.grading.suite import CheckSuite
from autograder.intake.one_file import one_file
from autograder.model.text import harmless, visible
from autograder.report import progress
from autograder.report.summary import number
from autograder.runs import grading_run, history, pool, results
from autograder.runs.history import Row
from autograder.runs.journal import Journal

CHANGED_WORK = "The submission has changed since it was graded; this is what it is now."
CHANGED_CHECK = (
    "The inputs or expected values are not those of the grade: another seed, or the check has changed since."
)


@click.command()
@click.argument("out", type=options.FOLDER)
@click.argument("student")
@click.argument("check")
@click.option("--output", "-o", type=options.FILE, help="File to write [default: repro-STUDENT-CHECK.py].")
@click.option("--submissions", type=options.PATH, help="Folder of the submissions [default: as graded].")
@click.option("--layout", type=LAYOUT, help="Layout of the folder of the submissions [default: as graded].")
@click.option("--force", is_flag=True, help="Overwrite earlier files.")
@options.seed_file
def repro_command(
    out: Path,
    student: str,
    check: str,
    output: Path | None,
    submissions: Path | None,
    layout: str | None,
    force: bool,
    seed_file: Path | None,
) -> int:
    """Write a script that runs one student's code at one check.

    The script holds all inputs, weights and expected values of the check, hidden ones too. The student's code lies
    beside it. It needs only torch and NumPy, and runs the code without the sandbox."""
    with usage_errors():
        from autograder.instructor import repro

        with history.untouched(out) as old:
            found = history.row(old, students.find(student, old.others(set()), "in this run"))
            assert found is not None
            plan = msgspec.structs.replace(earlier.plan_of(old), seed=course_seed(seed_file))
            suite = pool.suite_of(plan)
            asked = _check(suite, check)
            folder = earlier.submissions_of(old, submissions, "repro OUT STUDENT CHECK --submissions FOLDER")
            with intake.opened(folder) as place:
                submission = _submission(place, found.student, plan.assignment, layout or old.noted("layout") or "auto")
            remarks = _remarks(old, found, submission, plan, asked)
    target = output or Path(f"repro-{results.file_name(found.student)}-{asked.id}.py")
    beside = target.with_name(f"{target.stem}-student.py")
    _require_free(target, beside, folder, force)
    source = one_file(submission)
    outcome = next((one for one in found.grade.checks if one.id == asked.id), None)
    facts = repro.Facts(
        what=f"Check {asked.id} of {plan.assignment} ({asked.title}), student {visible(found.student)}",
        graded=_graded(outcome),
        script=target.name,
        file=beside.name,
        cells=source.cells,
        remarks=remarks,
    )
    passed = outcome is not None and outcome.status == "passed"
    text = repro.script(plan.assignment, asked, suite.prepared, facts, passed, submission)
    with writing_to(target):
        results.write_whole(beside, source.text.encode("utf-8", "replace"))
        results.write_whole(target, text.encode("utf-8", "replace"))
    for remark in remarks:
        progress.warn(remark)
    click.echo(f"Script:   {target} (staff only: it holds hidden inputs and expected values)")
    click.echo(f"Student:  {beside} (runs without the sandbox: read it first)")
    return 0


def _check(suite: CheckSuite, id: str) -> model.Check:
    """Return the check. Raises ``click.UsageError`` if there is no such check, or if it has no cases."""
    known = {check.id: check for check in suite.spec.checks}
    if id not in known:
        raise students.unknown(id, known, f"there is no check {id!r} in {suite.spec.assignment}")
    if not known[id].all_cases:
        raise click.UsageError(f"{id} measures time and compares no values; attngrade bench measures what a call costs")
    return known[id]


def _submission(folder: Path, student: str, assignment: str, layout: str) -> model.Submission:
    """Return the student's work. Raises ``click.UsageError`` if there is none that could be run."""
    entries = {entry.student: entry for entry in intake.discover(folder, assignment, layout)}
    submission = intake.read(entries[students.find(student, entries, f"in {folder}")], assignment)
    if submission.status != "ready":
        raise click.UsageError(f"there is nothing to run: the work is {submission.status}. {harmless(submission.note)}")
    return submission


def _remarks(
    old: Journal, row: Row, submission: model.Submission, plan: pool.RunPlan, check: model.Check
) -> tuple[str, ...]:
    """Return how the script differs from what was graded."""
    noted = old.noted(grading_run.suite_key(row.run))
    before = msgspec.json.decode(noted, type=fingerprints.Fingerprints).checks.get(check.id) if noted else None
    now = grading_run.suite_fingerprints(plan).checks[check.id]
    table = (
        (fingerprints.of_submission(submission) != row.work, CHANGED_WORK),
        (before is not None and before.content != now.content, CHANGED_CHECK),
    )
    return tuple(remark for applies, remark in table if applies)


def _graded(outcome: model.Outcome | None) -> str:
    if outcome is None:
        return "the grade does not have this check"
    points = f"{number(outcome.points)} of {number(outcome.max_points)} points"
    return f"{outcome.status}, {points}. {outcome.message}".strip()


def _require_free(target: Path, beside: Path, submissions: Path, force: bool) -> None:
    """Raise ``click.UsageError`` if the files would lie among the submissions, or replace others."""
    folder, forbidden = (Path(os.path.realpath(one)) for one in (target.parent, submissions))
    if folder == forbidden or forbidden in folder.parents:
        raise click.UsageError(f"{target} lies among the submissions; choose another --output")
    for path in (target, beside):
        if path.is_dir():
            raise click.UsageError(f"{path} is a folder; choose another --output")
        if os.path.lexists(path) and not force:
            raise click.UsageError(f"{path} exists; choose another --output, or overwrite it with --force")
