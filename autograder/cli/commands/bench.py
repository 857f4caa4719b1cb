"""``bench``: what a call costs as its inputs grow, as a table and a plot."""

import contextlib
import os
from collections.abc import Callable, Iterator
from pathlib import Path

import click
from rich.console import Console
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn

from autograder import intake, model, protocol
from autograder.cli import options
from autograder.cli.errors import usage_errors, writing_to
from autograder.cli.output import print_json
from autograder.feedback import messages
from autograder.grading import gpu
from autograder.grading.timing import bench, bench_plans
from autograder.report import benchplot, summary, terminal
from autograder.sandbox import clock
from autograder.sandbox.forkserver import ForkServer
from autograder.sandbox.limits import Limits

Advance = Callable[[str, int, int], None]


@click.command()
@options.assignment_argument
@click.argument("path", type=options.PATH, required=False, metavar="[PATH]")
@options.out(default=".", help="Folder for bench-ASSIGNMENT.png and bench-ASSIGNMENT.csv [default: this one].")
@options.device(help="Device to measure on [default: the CPU, and CUDA too if there is one].")
@click.option(
    "--rounds", type=click.IntRange(3, 200), default=15, show_default=True, help="Number of measurements per size."
)
@click.option("--unconfined", is_flag=True, help="Measure even where workers can't be confined (see doctor).")
@options.json
def bench_command(
    assignment: str,
    path: Path | None,
    out: Path,
    device: protocol.Device | None,
    rounds: int,
    unconfined: bool,
    as_json: bool,
) -> int:
    """Measure what a call costs as inputs grow.

    Compares your code (PATH) with the reference, and writes a table and a plot."""
    _require_clock()
    if not bench_plans.plans(assignment):
        raise click.UsageError(f"{assignment} has no check of speed, so there is no call to measure")
    plot, table = out / f"bench-{assignment}.png", out / f"bench-{assignment}.csv"
    with usage_errors(bench.Unmeasurable):
        submission = _submission(assignment, path) if path else None
        with writing_to(out):
            out.mkdir(parents=True, exist_ok=True)
            results = _measure(assignment, submission, device, rounds, unconfined)
            if results.panels:
                benchplot.write_csv(table, results)
                benchplot.write_plot(plot, results)
    if as_json:
        print_json(benchplot.rows(results))
    else:
        _print_tables(terminal.console(), results)
        if results.panels:
            click.echo(f"Plot:   {plot}\nTable:  {table}")
    _print_missing(results)
    return 1 if results.wrong else 0


def _require_clock() -> None:
    try:
        clock.cpu_seconds(os.getpid())
    except OSError as error:
        raise click.UsageError(f"bench can't measure here: {error}") from error


def _submission(assignment: str, path: Path) -> model.Submission:
    ((_, submission),) = intake.open_path(path, assignment)
    if submission.status != "ready":
        raise intake.IntakeError(submission.note or f"nothing to measure in {path}")
    return submission


def _measure(
    assignment: str, submission: model.Submission | None, device: protocol.Device | None, rounds: int, unconfined: bool
) -> bench.BenchResult:
    """Measure on one device, or on all that there are. Raises ``Unmeasurable`` or ``SandboxError``."""
    devices: list[protocol.Device] = [device] if device else ["cpu", "cuda"] if gpu.present() else ["cpu"]
    results = []
    with _progress(terminal.console(stderr=True)) as advance:
        for each in devices:
            with contextlib.closing(ForkServer(Limits(), unconfined=unconfined, device=each)) as server:
                results.append(bench.Bench(assignment, submission, server, each).run(rounds, advance))
    return bench.merged(results)


@contextlib.contextmanager
def _progress(console: Console) -> Iterator[Advance]:
    """Show a bar on a terminal, else print a line as each panel begins and ends."""
    if console.is_terminal:
        columns = (BarColumn(), MofNCompleteColumn(), TextColumn("{task.description}"))
        with Progress(*columns, console=console, transient=True) as bar:
            task = bar.add_task("starting Python with torch", total=None)
            yield lambda title, done, total: bar.update(task, description=title, completed=done, total=total)
        return

    def line(title: str, done: int, total: int) -> None:
        if done in (1, total):
            console.print(f"{title}: {done} of {total}", markup=False)

    yield line


def _print_tables(console: Console, results: bench.BenchResult) -> None:
    for panel in results.panels:
        sizes = [str(size) for size in panel.lines[0].costs]
        table = summary.table("call", "who", *sizes, "exponent", right={*sizes, "exponent"})
        for line in panel.lines:
            costs = [f"{cost.middle:.3g}" for cost in line.costs.values()]
            table.add_row(line.call, line.who, *costs, f"{line.exponent:.2f}")
        console.print(f"{panel.title}: milliseconds per call, median of {results.rounds} rounds")
        console.print(table)
        console.print()


def _print_missing(results: bench.BenchResult) -> None:
    """Print which calls the table lacks, and why."""
    if not results.references:
        click.echo("There are no references in this installation: only your own calls are shown.", err=True)
    for name, wrong in results.wrong.items():
        reason = messages.message(wrong.finding, wrong.prepared, False)
        click.echo(f"Your {name} is not shown, because it is not right yet: {reason}", err=True)
    if results.wrong:
        click.echo("attngrade check shows more.", err=True)
