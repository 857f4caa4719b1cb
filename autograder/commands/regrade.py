"""``regrade``: what a change would do to the grades of a run; with ``--apply``, it is done."""

from __future__ import annotations

import contextlib
import os
import time
from pathlib import Path
from typing import Any

import click
import msgspec

from autograder import bulk, exam, intake, ledger, regrade
from autograder.cluster import ClusterError
from autograder.commands import engine
from autograder.commands.grade import entries_of, limits_of
from autograder.gradebook import Gradebook, OutputError
from autograder.journal import Journal, JournalError
from autograder.regrade import Proposal, Regrade
from autograder.sandbox.limits import Limits
from autograder.sandbox.standing import SandboxError
from autograder.seed import SeedError, course_seed

WRONG = (
    intake.IntakeError, exam.ExamError, SeedError, JournalError, OutputError, SandboxError, ClusterError,
)  # fmt: skip
LINE_SECONDS = 5.0  # between two lines of progress


def run(out: Path, submissions: Path | None, **options: Any) -> int:
    """See cli.regrade. Raises click.UsageError for a wrong call."""
    if os.name != "posix":
        raise click.UsageError("regrade needs Linux, or macOS with --unconfined")
    with contextlib.ExitStack() as stack:
        try:
            old = stack.enter_context(ledger.untouched(out))
            plan = _plan(old, options)
            found = _submissions(old, submissions)
            layout = options["layout"] or old.noted("layout") or "auto"
            entries = entries_of(found, out, plan.topic, layout)
            elsewhere = engine.cluster(plan, options | {"unconfined": plan.unconfined})
            if elsewhere:
                stack.callback(elsewhere.close)
            proposed = stack.enter_context(contextlib.closing(regrade.proposed_in(out, plan.topic)))
            work = Regrade(old, proposed, plan)
        except WRONG as error:
            raise click.UsageError(str(error)) from error
        except ModuleNotFoundError as error:
            raise click.UsageError(exam.NOT_INSTALLED) from error
        try:
            jobs = min(options["jobs"] or bulk.cores(), max(1, len(entries)))
            grade_all = elsewhere.grade_all if elsewhere else bulk.grade_all
            proposal = work.propose(entries, jobs, grade_all, _Lines())
            if options["apply"]:
                _apply(work, out)
        except KeyboardInterrupt:
            click.echo("attngrade: interrupted; what was graded is kept for the next regrade", err=True)
            return 1
        except (*WRONG, OSError) as error:
            click.echo(f"attngrade: the run failed: {error}; mend that and regrade again", err=True)
            return 1
    _tell(out, proposal, options["apply"], options["as_json"])
    return 1 if proposal.failed else 0


def _plan(old: Journal, options: dict[str, Any]) -> bulk.Plan:
    """The plan of the earlier run, but for what was said otherwise. Its seed was not noted. Raises SeedError."""
    topic = ledger.assignment_of(old)
    earlier = bulk.Plan(topic, "", Limits())
    with contextlib.suppress(msgspec.MsgspecError):  # limits may have other names now
        earlier = msgspec.json.decode(old.noted("plan") or b"", type=bulk.Plan)
    return msgspec.structs.replace(
        earlier,
        topic=topic,
        seed=course_seed(options["seed_file"]),
        limits=limits_of(options, earlier.limits),
        timing=earlier.timing if options["timing"] is None else options["timing"],
        device=options["device"] or earlier.device,
        unconfined=options["unconfined"] or earlier.unconfined,
    )


def _submissions(old: Journal, given: Path | None) -> Path:
    noted = old.noted("submissions")
    if given is None and noted is None:
        raise click.UsageError(
            "this run did not note where its submissions lie; name them: regrade OUT SUBMISSIONS"
        )
    found = given or Path(noted or "")
    if not found.is_dir():
        raise click.UsageError(f"there are no submissions at {found}; name them: regrade OUT SUBMISSIONS")
    return found


def _apply(work: Regrade, out: Path) -> None:
    from autograder.report import html

    with contextlib.closing(Gradebook(out, work.plan.topic, resume=True)) as book:
        book.journal.note("plan", msgspec.json.encode(msgspec.structs.replace(work.plan, seed="")).decode())
        work.apply(book, html.write_report)
    work.proposed.close()
    regrade.discard(out)


class _Lines:
    """A line now and then."""

    def __init__(self) -> None:
        self.last = time.monotonic()

    def __call__(self, done: int) -> None:
        if time.monotonic() - self.last >= LINE_SECONDS:
            self.last = time.monotonic()
            click.echo(f"{done} graded again", err=True)


def _tell(out: Path, proposal: Proposal, applied: bool, as_json: bool) -> None:
    from autograder.report import changes, terminal

    if as_json:
        told = msgspec.to_builtins(proposal) | {"applied": applied}
        for change, one in zip(told["changed"], proposal.changed, strict=True):
            change["by"] = one.by
        click.echo(msgspec.json.format(msgspec.json.encode(told), indent=2).decode())
        return
    changes.tell(terminal.console(), proposal)
    if applied:
        click.echo(
            f"Written to {out}; earlier files are in {out / 'previous'}, earlier grades in show --history."
        )
    elif proposal.changed or proposal.reworded:
        click.echo("Nothing has been written; --apply does it.")
