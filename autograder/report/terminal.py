"""Results on a terminal: colour only where there is one, and never a student's text taken for markup."""

from __future__ import annotations

import os
import textwrap
from collections.abc import Sequence

from rich.console import Console
from rich.padding import Padding
from rich.table import Table
from rich.text import Text

from autograder import model
from autograder.report.summary import causes, grouped, lost, number, one_line

MARKS = {
    "passed": ("✓", "green"),
    "failed": ("✗", "red"),
    "error": ("✗", "red"),
    "timeout": ("✗", "red"),
    "skipped": ("·", "dim"),
}
NO_TERMINAL_WIDTH = 200
SHOWN_IN_FULL = 5  # reasons told at length; more is noise before the first are mended


def console(*, stderr: bool = False) -> Console:
    """A console as wide as the terminal; where there is none, wide enough that no table is broken."""
    made = Console(stderr=stderr, highlight=False)
    if not made.is_terminal and "COLUMNS" not in os.environ:
        made.width = NO_TERMINAL_WIDTH
    return made


def checks(console: Console, grade: model.Grade) -> None:
    """Every check that carries points, as a line."""
    table = Table.grid(padding=(0, 2, 0, 0))
    for check in grade.checks:
        if check.max_points:
            mark, colour = MARKS[check.status]
            points = Text(f"{number(check.points)}/{number(check.max_points)}", "dim", justify="right")
            hidden = Text("hidden" if check.visibility == "hidden" else "", "dim")
            table.add_row(Text(mark, colour), Text(check.title), points, hidden)
    console.print(Padding(table, (0, 0, 0, 2), expand=False))


def failures(console: Console, grade: model.Grade, most: int | None = SHOWN_IN_FULL) -> None:
    """Why checks were not passed, each reason once; what is only not written yet comes last, in one line."""
    unwritten = [check for check in lost(grade) if check.diagnosis == "not-implemented"]
    reasons = grouped([check for check in lost(grade) if check.diagnosis != "not-implemented"])
    for reason in reasons[:most]:
        check = reason.check
        console.print()
        cause = (f"  {check.diagnosis or ''}", "yellow")
        console.print(Text.assemble(("✗ ", "red"), (check.title, "bold"), (f"  [{check.id}]", "dim"), cause))
        _indented(console, check.message)
        if check.hint:
            _indented(console, check.hint, "italic")
        if reason.others:
            _indented(console, f"The same fails {', '.join(reason.others)}.", "dim")
    if most is not None and len(reasons) > most:
        console.print(Text(f"\n… and {len(reasons) - most} more reasons; --all shows them.", "dim"))
    if unwritten and reasons:
        told = f"\nNot written yet: {len(unwritten)} more checks wait for code that is missing."
        console.print(Text(told, "dim"))


def _indented(console: Console, text: str, style: str = "") -> None:
    """Wrapped to the terminal's width; elsewhere line by line as it is, so that nothing is cut."""
    if console.is_terminal:
        console.print(Padding(Text(text, style), (0, 0, 0, 2)))
    else:
        console.print(Text(textwrap.indent(text, "  ")), soft_wrap=True)


def grades(console: Console, rows: Sequence[model.Grade]) -> None:
    """The table of a class."""
    table = Table(box=None, pad_edge=False, header_style="bold")
    for heading in ("student", "score", "status", "causes"):
        table.add_column(heading, justify="right" if heading == "score" else "left", overflow="fold")
    for grade in rows:
        full = grade.score is not None and grade.score == grade.max_score
        colour = "green" if full else "red" if not grade.score else ""
        table.add_row(
            Text(one_line(grade.student)),
            Text(number(grade.score), colour),
            Text(grade.status, "" if grade.status == "graded" else "yellow"),
            Text(causes(grade), "dim"),
        )
    console.print(table)
