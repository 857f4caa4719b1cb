"""``bench``: what a call costs as its inputs grow, as a table and a plot."""

from __future__ import annotations

import contextlib
import os
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import TYPE_CHECKING

import click
import msgspec

from autograder import bench as benches
from autograder import gpu, intake, messages, model
from autograder.report import benchplot
from autograder.sandbox import clock
from autograder.sandbox.forkserver import ForkServer
from autograder.sandbox.limits import Limits
from autograder.sandbox.standing import SandboxError

if TYPE_CHECKING:
    from rich.console import Console

Advance = Callable[[str, int, int], None]


def bench(
    topic: str,
    path: Path | None,
    *,
    out: Path,
    device: model.Device | None,
    rounds: int,
    unconfined: bool,
    as_json: bool,
) -> int:
    """Measures; 0 when everything was, 1 when a call of the student's is not right. Raises click.UsageError."""
    from autograder.report import terminal

    _can_measure()
    chosen: list[model.Device] = [device] if device else ["cpu"]
    if device is None and gpu.present():
        chosen.append("cuda")
    try:
        work = _work(topic, path)
        out.mkdir(parents=True, exist_ok=True)
        with _progress(terminal.console(stderr=True)) as advance:
            found = benches.together(
                [_measured(topic, work, one, rounds, unconfined, advance) for one in chosen]
            )
        plot, table = out / f"bench-{topic}.png", out / f"bench-{topic}.csv"
        if found.panels:
            benchplot.write_csv(table, found)
            benchplot.write_plot(plot, found)
    except (intake.IntakeError, benches.Unmeasurable, SandboxError) as error:
        raise click.UsageError(str(error)) from error
    except OSError as error:
        raise click.UsageError(
            f"can't write to {out}: {error.strerror or error}; choose another --out"
        ) from error
    if as_json:
        click.echo(msgspec.json.format(msgspec.json.encode(benchplot.rows(found)), indent=2).decode())
    else:
        _tell(terminal.console(), found)
        if found.panels:
            click.echo(f"Plot:   {plot}\nTable:  {table}")
    _warn(found)
    return 1 if found.wrong else 0


def _can_measure() -> None:
    """Raises click.UsageError where there is no clock."""
    try:
        clock.cpu_seconds(os.getpid())
    except OSError as error:
        raise click.UsageError(f"bench can't measure here: {error}") from error


def _work(topic: str, path: Path | None) -> model.Submission | None:
    if path is None:
        return None
    ((_, work),) = intake.open_path(path, topic)
    if work.status != "ready":
        raise intake.IntakeError(work.note or f"nothing to measure in {path}")
    return work


def _measured(
    topic: str,
    work: model.Submission | None,
    device: model.Device,
    rounds: int,
    unconfined: bool,
    advance: Advance,
) -> benches.Found:
    server = ForkServer(Limits(), unconfined=unconfined, device=device)
    try:
        return benches.Bench(topic, work, server, device).run(rounds, advance)
    finally:
        server.close()


@contextlib.contextmanager
def _progress(console: Console) -> Iterator[Advance]:
    """A bar on a terminal; elsewhere a line as each panel begins and ends."""
    if not console.is_terminal:

        def line(title: str, done: int, total: int) -> None:
            if done in (1, total):
                console.print(f"{title}: {done} of {total}", markup=False)

        yield line
        return
    from rich import progress

    columns = (progress.BarColumn(), progress.MofNCompleteColumn(), progress.TextColumn("{task.description}"))
    with progress.Progress(*columns, console=console, transient=True) as bar:
        task = bar.add_task("starting Python with torch", total=None)
        yield lambda title, done, total: bar.update(task, description=title, completed=done, total=total)


def _tell(console: Console, found: benches.Found) -> None:
    from rich.table import Table

    for panel in found.panels:
        table = Table(box=None, pad_edge=False, header_style="bold")
        table.add_column("call")
        table.add_column("who")
        for size in panel.lines[0].costs:
            table.add_column(str(size), justify="right")
        table.add_column("exponent", justify="right")
        for line in panel.lines:
            costs = [f"{cost.middle:.3g}" for cost in line.costs.values()]
            table.add_row(line.call, line.who, *costs, f"{line.exponent:.2f}")
        console.print(f"{panel.title}: milliseconds of a call, median of {found.rounds} rounds")
        console.print(table)
        console.print()


def _warn(found: benches.Found) -> None:
    """What is missing from the table, and why."""
    if not found.references:
        click.echo("There are no references in this installation: only your own calls are shown.", err=True)
    for name, wrong in found.wrong.items():
        told = messages.message(wrong.finding, wrong.prepared, False, "timing", wrong.finding.diagnosis)
        click.echo(f"Your {name} is not shown, because it is not right yet: {told}", err=True)
    if found.wrong:
        click.echo("attngrade check tells more.", err=True)
