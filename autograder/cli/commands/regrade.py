"""``regrade``: how a change of the checks would change the grades of a run. With ``--apply`` it changes them."""

import contextlib
import os
import time
from pathlib import Path

import click
import msgspec

from autograder import assignments, intake, model, protocol
from autograder.cli import course_settings, earlier, options, students
from autograder.cli.errors import RUN_ERRORS, usage_errors
from autograder.cli.grading import LAYOUT, Engine, engine, entries_of
from autograder.cli.output import print_json
from autograder.cli.pages import write_page
from autograder.course.settings import Settings
from autograder.grading.seed import course_seed
from autograder.report import changes, progress, terminal
from autograder.report.web import write_report
from autograder.report.web.compared_page import changes_page
from autograder.runs import anonymity, history, regrade
from autograder.runs.changes import Proposal
from autograder.runs.journal import Journal
from autograder.runs.regrade import Regrade
from autograder.runs.run_folder import RunFolder

LINE_SECONDS = 5.0  # between two lines of progress


@click.command()
@click.argument("out", type=options.FOLDER)
@click.argument("submissions", type=options.PATH, required=False, metavar="[SUBMISSIONS]")
@click.option("--html", "page", type=options.FILE, help="Write a page about the changes too.")
@click.option("--apply", is_flag=True, help="Write the changes, and keep what they replace.")
@students.only(help="Regrade only this student, and nobody else; can be given again.")
@options.jobs
@click.option("--layout", type=LAYOUT, help="Layout of the folder SUBMISSIONS [default: as before].")
@click.option("--timing/--no-timing", default=None, help="With or without timing checks [default: as before].")
@click.option("--strict/--no-strict", default=None, help=f"{options.STRICT} [default: as before]")
@options.device(help="[default: as before]")
@options.limits
@course_settings.option
@options.cluster
@options.seed_file
@options.unconfined
@options.json
def regrade_command(
    out: Path,
    submissions: Path | None,
    page: Path | None,
    apply: bool,
    only: tuple[str, ...],
    jobs: int | None,
    layout: str | None,
    timing: bool | None,
    strict: bool | None,
    device: protocol.Device | None,
    limits: dict[str, float],
    config: Path | None,
    scheduler: str | None,
    wait: float,
    seed_file: Path | None,
    unconfined: bool,
    as_json: bool,
) -> int:
    """Show how the grades in OUT would change.

    Run it after a change of checks, references, seed or limits. Only submissions that the change can affect run again.
    Nothing is written without --apply."""
    if os.name != "posix":
        raise click.UsageError("regrade needs Linux, or macOS with --unconfined")
    with contextlib.ExitStack() as stack:
        with usage_errors(anonymity.KeyFileError):
            old = stack.enter_context(history.untouched(out))
            chosen_students = _known(old, only)
            noted = earlier.submissions_of(old, submissions, "regrade OUT SUBMISSIONS")
            folder = stack.enter_context(intake.opened(noted))
            noted_plan = earlier.plan_of(old)
            settings = course_settings.settings_of(config, folder, assignments.load(noted_plan.assignment, hidden=True))
            if only:
                earlier.require_same_rules(old, course_settings.rules_of(settings), None, out)
            plan = msgspec.structs.replace(
                course_settings.planned(noted_plan, settings, limits, timing, strict),
                seed=course_seed(seed_file),
                device=device or noted_plan.device,
                unconfined=unconfined,  # never by what a file says
            )
            entries = entries_of(folder, out, plan.assignment, layout or old.noted("layout") or "auto")
            entries = anonymity.entries_again(entries, old, out)
            chosen = stack.enter_context(engine(plan, len(entries), jobs, scheduler, wait))
            proposed = stack.enter_context(contextlib.closing(regrade.proposed_in(out, plan.assignment)))
            work = Regrade(old, proposed, plan, chosen_students)
        proposal = _propose(work, entries, chosen, out if apply else None, settings)
    if proposal is None:
        return 1
    if page:
        write_page(page, changes_page(proposal, assignments.load(proposal.assignment).title, apply))
    _print(out, proposal, apply, as_json)
    return 1 if proposal.failed else 0


def _known(old: Journal, only: tuple[str, ...]) -> frozenset[str] | None:
    """Return the students to regrade; None for all. Raises ``click.UsageError`` for somebody without a grade."""
    return students.find_all(only, old.others(set()), "in this run") if only else None


def _propose(
    work: Regrade, entries: list[model.Entry], engine: Engine, out: Path | None, settings: Settings | None
) -> Proposal | None:
    """Grade, apply the changes to ``out`` if it is given, and return them; None if the run failed."""
    try:
        proposal = work.propose(entries, engine.at_a_time, engine.grade_all, _Lines())
        if out:
            _apply(work, out, settings)
    except KeyboardInterrupt:
        progress.warn("interrupted; what was graded is kept for the next regrade")
        return None
    except (*RUN_ERRORS, OSError) as error:
        progress.warn(f"the run failed: {error}; correct that and regrade again")
        return None
    return proposal


def _apply(work: Regrade, out: Path, settings: Settings | None) -> None:
    with contextlib.closing(RunFolder(out, work.plan.assignment, resume=True)) as folder:
        if work.only is None:  # otherwise the others keep the earlier plan
            folder.journal.note("plan", msgspec.json.encode(msgspec.structs.replace(work.plan, seed="")).decode())
        folder.set_rules(*course_settings.noted(settings))
        work.apply(folder, write_report)
        folder.rewrite_results()
    work.proposed.close()
    regrade.discard(out)


class _Lines:
    """Print a line of progress every few seconds."""

    def __init__(self) -> None:
        self.last = time.monotonic()

    def __call__(self, done: int) -> None:
        if time.monotonic() - self.last >= LINE_SECONDS:
            self.last = time.monotonic()
            click.echo(f"{done} graded again", err=True)


def _print(out: Path, proposal: Proposal, applied: bool, as_json: bool) -> None:
    if as_json:
        facts = msgspec.to_builtins(proposal) | {"applied": applied}
        for row, change in zip(facts["changed"], proposal.changed, strict=True):
            row["by"] = change.by
        print_json(facts)
        return
    changes.print_changes(terminal.console(), proposal)
    if applied:
        click.echo(f"Written to {out}. Earlier files: {out / 'previous'}. Earlier grades: attngrade show --history.")
    elif proposal.changed or proposal.reworded:
        click.echo("Nothing has been written; --apply writes it.")
