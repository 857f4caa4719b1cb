"""``check``: one submission's checks, for the student who wrote it."""

import contextlib
from collections.abc import Callable, Sequence
from pathlib import Path

import click
import msgspec
from rich.text import Text

from autograder import assignments, intake, model, protocol
from autograder.assignments.own_tokens import state_of
from autograder.cli import check_output, options, own_code, watching
from autograder.cli.errors import usage_errors, writing_to
from autograder.cli.output import print_json
from autograder.cli.watching import Works
from autograder.course import marks
from autograder.course.settings import unknown
from autograder.grading.runner import GradeAndOutput
from autograder.grading.seed import course_seed
from autograder.grading.usual import usual_limits
from autograder.integrations import classroom50 as results_of_classroom50
from autograder.integrations import export
from autograder.model import tokens
from autograder.model.text import printable
from autograder.report import step_summary, terminal
from autograder.runs import pool
from autograder.runs.results import write_whole

PRINTED = 20_000  # characters of a submission's own output that --prints shows


@click.command()
@click.argument("path", type=options.PATH, default=Path())
@options.assignment()
@click.option("--only", multiple=True, metavar="PART", help="Show one function, class or check only; repeatable.")
@click.option("--watch", is_flag=True, help="Stay, and check again whenever you save; Ctrl-C ends it.")
@click.option("--first", is_flag=True, help="Show only what to mend first.")
@click.option("--full", is_flag=True, help="Run the hidden checks too (instructors).")
@options.device(default="cpu")
@click.option("--prints", is_flag=True, help="Show what the submission printed.")
@click.option("--all", "every_failure", is_flag=True, help="Show every failure in full, not only the first few.")
@options.seed_file
@options.unconfined
@options.json
@click.option("--junit", type=options.FILE, help="Also write the public checks as JUnit XML.")
@click.option("--summary", type=options.FILE, help="Also append the public checks to a Markdown file.")
@click.option("--classroom50", type=options.FILE, help="Also write the public checks as Classroom 50's result.json.")
def check_command(
    path: Path,
    assignment: str | None,
    only: tuple[str, ...],
    watch: bool,
    first: bool,
    full: bool,
    device: protocol.Device,
    prints: bool,
    every_failure: bool,
    seed_file: Path | None,
    unconfined: bool,
    as_json: bool,
    junit: Path | None,
    summary: Path | None,
    classroom50: Path | None,
) -> int:
    """Check your work against the public checks.

    PATH is a file or a folder [default: the folder that you are in].
    """
    if full and (junit or summary or classroom50):
        raise click.UsageError("--junit, --summary and --classroom50 are for students; leave --full away")
    if watch and (full or as_json or junit or summary or classroom50):
        raise click.UsageError("--watch only prints, and runs the public checks only")

    def read() -> Works:
        found = intake.open_path(path, assignment)
        return _with(found, only) if only else found

    most = 1 if first else None if every_failure else check_output.SHOWN_IN_FULL
    view = check_output.View(only, full, most, listed=not first)

    def show(works: Works, results: Sequence[GradeAndOutput]) -> None:
        for (_, submission), done in zip(works, results, strict=True):
            check_output.print_grade(path, submission, done.grade, view)
            if said := tokens.SAID.get(state_of(submission, done.grade.assignment)):
                click.echo(f"\n{said}")
            if prints:
                click.echo(f"\nYour code printed:\n{printable(done.printed, PRINTED)}")

    with usage_errors():
        if watch:
            return _watch(read, lambda works, results: show(works, _of(results, only)), device)
        submissions = read()
        whole = [_grade(name, work, full, device, seed_file, unconfined) for name, work in submissions]
    results = _of(whole, only)
    grades = [grade for grade, _ in results]
    _write_files(grades, junit, summary, classroom50)
    if as_json:
        print_json([marks.composed(grade) for grade in grades])
    else:
        show(submissions, results)
    return 0 if all(map(check_output.passed, grades)) else 1


def _watch(
    read: Callable[[], Works], show: Callable[[Works, Sequence[GradeAndOutput]], None], device: protocol.Device
) -> int:
    """Check whenever the work changes, until the person ends it."""
    with contextlib.closing(watching.Warm(device)) as warm:

        def check(works: Works) -> None:
            results = [warm.grade(name, work) for name, work in works]
            console = terminal.console()
            if console.is_terminal:
                console.clear()
            show(works, results)
            console.print(Text(f"\n{watching.WAITING}", "dim"))

        watching.watch_works(read, check)
    return 0


def _with(submissions: Works, only: Sequence[str]) -> Works:
    """Return the submissions of assignments that have all these parts and checks. Raises ``click.UsageError``."""
    specs = {name: assignments.load(name) for name, _ in submissions}
    known = {name: {*spec.parts, *(check.id for check in spec.checks)} for name, spec in specs.items()}
    found = [(name, work) for name, work in submissions if known[name].issuperset(only)]
    if not found:
        wrong = next((one for one in only if not any(one in names for names in known.values())), only[0])
        parts = [part for spec in specs.values() for part in spec.parts]
        raise click.UsageError(f"--only: {unknown(wrong, parts, 'part or check')}")
    return found


def _of(results: Sequence[GradeAndOutput], only: Sequence[str]) -> Sequence[GradeAndOutput]:
    """Return what results say of some parts and checks, or all that they say."""
    return [done._replace(grade=_cut(done.grade, only)) for done in results] if only else results


def _cut(grade: model.Grade, only: Sequence[str]) -> model.Grade:
    """Return what a grade says of some parts and checks."""
    checks = tuple(check for check in grade.checks if check.part in only or check.id in only)
    counted = [check for check in checks if check.status != "skipped"]
    points = round(sum(check.points for check in counted), 6)
    return msgspec.structs.replace(
        grade, checks=checks, score=points, max_score=round(sum(check.max_points for check in counted), 6)
    )


def _grade(
    assignment: str,
    submission: model.Submission,
    full: bool,
    device: protocol.Device,
    seed_file: Path | None,
    unconfined: bool,
) -> GradeAndOutput:
    """Return the grade and what the submission printed."""
    if not full:
        return own_code.runner(assignment, device).grade_with_output(submission)
    plan = pool.RunPlan(
        assignment, course_seed(seed_file), usual_limits(assignment), unconfined=unconfined, device=device
    )
    with contextlib.closing(pool.Grader(plan)) as grader:
        return grader.runner.grade_with_output(submission)


def _write_files(grades: list[model.Grade], junit: Path | None, summary: Path | None, classroom50: Path | None) -> None:
    """Write the files that other programs read."""
    if junit:
        with writing_to(junit):
            write_whole(junit, export.write("junit", export.Job(tuple(grades), {})).files[""])
    if summary:
        with writing_to(summary), summary.open("a", encoding="utf-8", errors="replace") as file:
            file.write(step_summary.page(grades))
    if classroom50:
        if len(grades) > 1:
            raise click.UsageError("--classroom50 writes the result of one assignment; name it with --assignment")
        with usage_errors(results_of_classroom50.Classroom50Error), writing_to(classroom50):
            results_of_classroom50.write(classroom50, grades[0])
