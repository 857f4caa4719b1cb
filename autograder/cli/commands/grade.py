"""``grade``: a folder of submissions becomes a folder of grades, reasons and a report."""

import contextlib
import os
from collections.abc import Collection, Sequence
from dataclasses import dataclass
from pathlib import Path

import click
import msgspec

from autograder import assignments, intake, model, protocol
from autograder.cli import course_settings, earlier, options, students
from autograder.cli.class_list import Options, class_list
from autograder.cli.errors import RUN_ERRORS, usage_errors, writing_to
from autograder.cli.grading import LAYOUT, Engine, engine
from autograder.cli.rosters import RosterComparison
from autograder.course.deadlines import Deadlines
from autograder.course.settings import Settings
from autograder.grading.seed import course_seed
from autograder.grading.usual import usual_limits
from autograder.model.text import escaped_json
from autograder.report import progress, summary, terminal
from autograder.report.web import write_report
from autograder.runs import anonymity, history, pool
from autograder.runs.grading_run import GradingRun
from autograder.runs.run_folder import RunFolder
from autograder.sandbox import availability

LARGEST_TABLE = 60  # students; the report shows any number
NAMED = 5  # students, in a warning
GO_ON = {False: "go on with --resume", True: "make the same call again"}  # by whether it was --only
REUSED = {"before": "from the earlier run", "copy": "copied from the same work of another student"}


@click.command()
@click.argument("submissions", type=options.PATH)
@options.assignment(required=True)
@options.out(required=True, help="Folder for grades.csv, results/ and report/.")
@options.jobs
@click.option("--layout", type=LAYOUT, default="auto", help="Layout of the folder SUBMISSIONS.")
@click.option("--resume", is_flag=True, help="Go on with an earlier run; what it graded is not graded again.")
@students.only(
    help="Grade only this student, again, into the run that OUT holds; nobody else changes. Can be given again."
)
@options.no_timing
@click.option("--strict", is_flag=True, help=options.STRICT)
@options.device(default="cpu")
@options.limits
@options.roster
@course_settings.option
@click.option("--allow-empty", is_flag=True, help="Grade even if nobody has work, or the roster matches nobody.")
@click.option("--deadlines", type=options.FILE, help="CSV file with the columns student and deadline or extension.")
@click.option("--anonymous", is_flag=True, help="Random ids in place of names; OUT.key.csv says who is who.")
@click.option("--log-json", is_flag=True, help="Write the progress as JSON to stderr, one event a line.")
@options.cluster
@options.seed_file
@options.token_key("Key with which attngrade new signed the tokens of the students' files.")
@options.unconfined
@options.json
def grade_command(
    submissions: Path,
    assignment: str,
    out: Path,
    jobs: int | None,
    layout: str,
    resume: bool,
    only: tuple[str, ...],
    no_timing: bool,
    strict: bool,
    device: protocol.Device,
    limits: dict[str, float],
    roster: Path | None,
    config: Path | None,
    allow_empty: bool,
    deadlines: Path | None,
    anonymous: bool,
    log_json: bool,
    scheduler: str | None,
    wait: float,
    seed_file: Path | None,
    token_key: bytes,
    unconfined: bool,
    as_json: bool,
) -> int:
    """Grade a folder of submissions."""
    if os.name != "posix":
        raise click.UsageError("grade needs Linux, or macOS with --unconfined; check works everywhere")
    if os.path.realpath(out) == os.path.realpath(submissions):
        raise click.UsageError("--out must be another folder than the submissions")
    with contextlib.ExitStack() as stack:
        with usage_errors(anonymity.KeyFileError):
            spec = assignments.load(assignment, hidden=True)
            folder_of_class = stack.enter_context(intake.opened(submissions))
            settings = course_settings.settings_of(config, folder_of_class, spec)
            plan = pool.RunPlan(
                assignment, course_seed(seed_file), usual_limits(assignment), unconfined=unconfined, device=device
            )
            plan = course_settings.planned(plan, settings, limits, False if no_timing else None, strict or None)
            entries, comparison, due, key = class_list(
                Options(folder_of_class, out, assignment, layout, roster, deadlines, anonymous, allow_empty, log_json),
                settings.late if settings else None,
            )
            if only:
                with history.untouched(out) as old:
                    earlier.require_same_settings(old, plan, out)
                    earlier.require_same_rules(old, course_settings.rules_of(settings), due, out)
                named = students.find_all(only, {entry.student for entry in entries}, f"in {submissions}")
                entries = [entry for entry in entries if entry.student in named]
            chosen = stack.enter_context(engine(plan, len(entries), jobs, scheduler, wait))
            folder = stack.enter_context(contextlib.closing(RunFolder(out, assignment, resume=resume or bool(only))))
            anonymity.claim(folder.journal, out, anonymous)
        if anonymous:
            with writing_to(anonymity.key_file(out)):
                anonymity.write_key(anonymity.key_file(out), key)
        watch = progress.watch(terminal.console(stderr=True), len(entries), log_json)
        run = _Run(
            plan, entries, comparison, settings, due, chosen, folder, watch, as_json, anonymous, bool(only), token_key
        )
        return run.grade(submissions, layout)


@dataclass(frozen=True)
class _Run:
    """One run with all that it needs, ready to grade."""

    plan: pool.RunPlan
    entries: list[model.Entry]
    roster: RosterComparison
    settings: Settings | None
    deadlines: Deadlines | None
    engine: Engine
    folder: RunFolder
    watch: progress.Watch
    as_json: bool
    anonymous: bool
    anew: bool  # only these entries, whatever the journal holds
    token_key: bytes

    def grade(self, submissions: Path, layout: str) -> int:
        """Grade, print the outcome and return the exit status."""
        watch, folder, jobs = self.watch, self.folder, self.engine.at_a_time
        facts = {"assignment": self.plan.assignment, "submissions": len(self.entries), "jobs": jobs}
        watch.event("started", **facts, out=str(folder.out))
        try:
            if not self.anew:
                folder.remember(submissions, layout, self.plan)
            self._note_people()
            run = GradingRun(folder, self.plan, watch.advance, anew=self.anew, token_key=self.token_key)
            changed = run.grade(self.entries, jobs, self.engine.grade_all)
            grades = folder.finish(write_report)
            look_again = [grade.student for grade in grades if grade.needs_look]
            odd = [f"{grade.student}: {grade.token}" for grade in grades if grade.token not in ("", "ok")]
            shown = self._shown(grades)
            otherwise = history.graded_otherwise(folder.journal, run.run) if self.anew else 0
        except KeyboardInterrupt:
            watch.event("failed", message=f"interrupted; {GO_ON[self.anew]}")
            return 1
        except (*RUN_ERRORS, OSError) as error:
            watch.event("failed", message=f"the run failed: {error}; correct that and {GO_ON[self.anew]}")
            return 1
        finally:
            watch.end()
        self._print(
            shown, _changed(changed), _look_again(look_again), _tokens(odd), _otherwise(otherwise), _kept(run.kept)
        )
        return 1 if watch.pace.statuses["infrastructure-error"] else 0

    def _note_people(self) -> None:
        """Store who is in the run and until when they have time, and say what became of earlier decisions."""
        students = [entry.student for entry in self.entries]
        self.folder.identify(students, self.roster.identities(students))
        self.folder.set_rules(*course_settings.noted(self.settings), self.deadlines)
        if self.folder.carried:
            self.watch.event("warning", message=self.folder.carried)
        if self.deadlines and (unknown := self.folder.marks.students.unknown(self.deadlines)):
            names = summary.some(unknown)
            self.watch.event("warning", message=f"--deadlines names {len(unknown)} who are no student here: {names}")

    def _shown(self, grades: Collection[model.Grade]) -> list[model.Grade]:
        """Return the grades to print: of all, or of those whom the call names."""
        if self.as_json or (len(grades) > LARGEST_TABLE and not self.anew):
            return []
        named = {entry.student for entry in self.entries}
        return [grade for grade in grades if grade.student in named]

    def _print(self, grades: Sequence[model.Grade], *warnings: str) -> None:
        pace, out = self.watch.pace, self.folder.out
        seconds = pace.seconds
        facts: dict[str, object] = {
            "students": pace.done,
            "statuses": dict(pace.statuses),
            "grades": str(out / "grades.csv"),
            "report": str(out / "report" / "index.html"),
            "seconds": round(seconds, 3),
        }
        for message in (availability.warning(self.plan.device), *warnings, *self.roster.messages(self.anonymous)):
            if message:
                self.watch.event("warning", message=message)
        self.watch.event("finished", **facts, how=dict(pace.how), slowest=pace.slowest_one())
        if self.as_json:
            click.echo(
                escaped_json(msgspec.json.encode(facts | ({} if self.anonymous else self.roster.summary()))).decode()
            )
            return
        if grades:
            terminal.grades(terminal.console(), grades)
        reused = "".join(f", {pace.how[how]} of them {words}" for how, words in REUSED.items() if pace.how[how])
        counts = f"{summary.status_counts(pace.statuses)}{reused}"
        click.echo(f"\n{counts}, in {seconds:.1f} s with {self.engine.description}")
        click.echo(f"Grades:  {facts['grades']}\nReport:  {facts['report']}")
        if self.anonymous:
            click.echo(f"Key:     {anonymity.key_file(out)}: who is who; keep it from graders")


def _changed(students: Sequence[str]) -> str:
    """Return a warning about submissions that changed while they were graded: what was read first counts."""
    if not students:
        return ""
    names = summary.some(students, NAMED)
    return f"{len(students)} submission(s) have changed since they were read ({names}); grade them with --resume"


def _look_again(students: Sequence[str]) -> str:
    """Return a warning about students whose work is another than the one that a person decided about."""
    if not students:
        return ""
    return f"{len(students)} handed in other work since somebody decided about it; look again: {summary.some(students)}"


def _tokens(odd: Sequence[str]) -> str:
    """Return a warning about files whose token is not the student's own. It changes no mark."""
    return f"tokens to look at: {summary.some(odd, NAMED)}" if odd else ""


def _otherwise(count: int) -> str:
    """Return a warning about others whose grades come from other checks, another seed or another version."""
    if not count:
        return ""
    return f"{count} other(s) were graded by another seed, version or checks; attngrade regrade shows whom that moves"


def _kept(students: Sequence[str]) -> str:
    if not students:
        return ""
    return f"{summary.some(students, NAMED)}: not graded, through our own fault; the earlier grade stays"
