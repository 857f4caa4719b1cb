"""Results on a terminal: colour only where there is one, and never a student's text taken for markup."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from rich.console import Console
from rich.padding import Padding
from rich.table import Table
from rich.text import Text

from autograder import model

MARKS = {
    "passed": ("✓", "green"),
    "failed": ("✗", "red"),
    "error": ("✗", "red"),
    "timeout": ("⏱", "red"),
    "skipped": ("·", "dim"),
}
SHOWN_IN_FULL = 5  # failing checks told at length; more is noise before the first are mended


def number(value: float | None) -> str:
    """Points without needless zeros."""
    return "-" if value is None else f"{value:.10g}"


def checks(console: Console, grade: model.Grade) -> None:
    """Every check as a line."""
    table = Table.grid(padding=(0, 2, 0, 0))
    for check in grade.checks:
        mark, colour = MARKS[check.status]
        points = f"{number(check.points)}/{number(check.max_points)}"
        title = Text(check.title, "dim" if check.status == "skipped" else "")
        note = Text("hidden" if check.visibility == "hidden" else "", "dim")
        table.add_row(Text(mark, colour), title, Text(points, "dim", justify="right"), note)
    console.print(Padding(table, (0, 0, 0, 2)))


def failures(console: Console, grade: model.Grade, most: int | None = SHOWN_IN_FULL) -> None:
    """Why checks were not passed: what is only not written yet in one list, the rest at length."""
    lost = [check for check in grade.checks if check.status in ("failed", "error", "timeout")]
    unwritten = [check for check in lost if check.diagnosis == "not-implemented"]
    written = [check for check in lost if check.diagnosis != "not-implemented"]
    for check in written[:most]:
        heading = Text.assemble(("✗ ", "red"), (check.title, "bold"), (f"  [{check.id}]", "dim"))
        console.print()
        console.print(heading)
        console.print(Padding(Text(check.message), (0, 0, 0, 2)))
        if check.diagnosis:
            console.print(Padding(Text(f"Cause: {check.diagnosis}", "yellow"), (0, 0, 0, 2)))
        if check.hint:
            console.print(Padding(Text(check.hint, "italic"), (0, 0, 0, 2)))
    if most is not None and len(written) > most:
        console.print(Text(f"\n… and {len(written) - most} more; --all shows them.", "dim"))
    if unwritten and written:
        console.print(Text(f"\nNot written yet: {len(unwritten)} checks wait for code that raises "
                           "NotImplementedError or is missing.", "dim"))  # fmt: skip


def grades(console: Console, rows: Sequence[model.Grade]) -> None:
    """The table of a class."""
    table = Table(box=None, pad_edge=False, header_style="bold")
    for heading in ("student", "score", "status", "causes"):
        table.add_column(heading, justify="right" if heading == "score" else "left", overflow="fold")
    for grade in rows:
        full = grade.score is not None and grade.score == grade.max_score
        colour = "green" if full else "red" if not grade.score else ""
        table.add_row(
            Text(_one_line(grade.student)),
            Text(number(grade.score), colour),
            Text(grade.status, "" if grade.status == "graded" else "yellow"),
            Text(causes(grade), "dim"),
        )
    console.print(table)


def causes(grade: model.Grade) -> str:
    """The diagnoses of a grade, and how many more checks failed; of work that could not be checked, why."""
    if grade.status not in ("graded", "partial"):
        return _one_line(grade.message)[:100]
    lost = [check for check in grade.checks if check.status in ("failed", "error", "timeout")]
    named = list(dict.fromkeys(check.diagnosis for check in lost if check.diagnosis))
    unnamed = sum(1 for check in lost if not check.diagnosis)
    more = f"{unnamed} {'other ' if named else ''}check{'s' if unnamed > 1 else ''} failed"
    return ", ".join([*named, *([more] if unnamed else [])])


def counts(rows: Iterable[model.Grade]) -> str:
    """``40 graded, 2 import-error``."""
    by_status: dict[str, int] = {}
    for grade in rows:
        by_status[grade.status] = by_status.get(grade.status, 0) + 1
    return ", ".join(f"{count} {status}" for status, count in by_status.items())


def _one_line(text: str) -> str:
    return "".join(c if c.isprintable() else "?" for c in text)
