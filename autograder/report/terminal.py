"""Results on a terminal: colour only if the terminal has it. A student's text is never read as markup."""

import os
import textwrap
from collections.abc import Sequence

from rich.console import Console
from rich.padding import Padding
from rich.table import Table
from rich.text import Text

from autograder import model
from autograder.course.decisions import words
from autograder.course.marks import reckoning
from autograder.model.text import harmless, visible
from autograder.report.mistakes import (
    FOLLOWS,
    LOST,
    Mistake,
    leaders,
    parts,
    shown_status,
    unwritten,
    unwritten_first,
    written,
)
from autograder.report.summary import SIGNS, TO_MEND, beside, causes, number, score, table

COLOURS = {"passed": "green", "skipped": "dim", "blocked": "yellow", FOLLOWS: "yellow"} | dict.fromkeys(LOST, "red")
FAILS_WITH = "Fails with a check that is marked ✗. Mend that one first."
WAITS = "Not counted until the values are right."
NO_TERMINAL_WIDTH = 200


def console(*, stderr: bool = False) -> Console:
    """Return a console as wide as the terminal. Without a terminal it is wide enough for any table."""
    made = Console(stderr=stderr, highlight=False)
    if not made.is_terminal and "COLUMNS" not in os.environ:
        made.width = NO_TERMINAL_WIDTH
    return made


def checks(console: Console, grade: model.Grade) -> None:
    """Print the points of each part, and below them a line for every check that carries points."""
    led = leaders(grade)
    grid = Table.grid(padding=(0, 2, 0, 0))
    for part in parts(grade.checks):
        if part.name:
            points = Text(f"{number(part.points)}/{number(part.max_points)}", "bold", justify="right")
            grid.add_row("", Text(harmless(part.name), "bold"), points, "")
        for check in part.checks:
            if check.max_points:
                status = shown_status(check, led)
                of = "-" if check.status == "skipped" else f"{number(check.points)}/{number(check.max_points)}"
                points = Text(of, "dim", justify="right")
                hidden = Text("hidden" if check.visibility == "hidden" else "", "dim")
                grid.add_row(Text(SIGNS[status], COLOURS[status]), Text(harmless(check.title)), points, hidden)
    console.print(Padding(grid, (0, 0, 0, 2), expand=False))
    for reason in dict.fromkeys(check.message for check in grade.checks if check.status == "skipped"):
        _print_indented(console, f"·  {reason}", "dim")
    if any(check.id in led and check.max_points for check in grade.checks):
        _print_indented(console, f"↳  {FAILS_WITH}", "dim")
    if any(check.status == "blocked" and check.max_points for check in grade.checks):
        _print_indented(console, f"○  {WAITS}", "dim")


def failures(console: Console, grade: model.Grade, most: int | None = None, step: str = "") -> None:
    """Print one paragraph a mistake, at most ``most`` of them; None is all. What to mend first comes first.

    Unwritten code takes one line, with the next ``step``.
    """
    found, is_unwritten_first = written(grade), unwritten_first(grade)
    if found:
        console.print(Text(f"\n{TO_MEND}", "bold"))
    if is_unwritten_first:
        _print_unwritten(console, grade, f"Write {step}" if step else "")
    for mistake in found[:most]:
        _print_mistake(console, mistake)
    if most is not None and len(found) > most:
        count = len(found) - most
        console.print(Text(f"\n… and {count} more mistake{'s' if count > 1 else ''}; --all shows them.", "dim"))
    if unwritten(grade) and not is_unwritten_first:
        _print_unwritten(console, grade, f"When the rest is right, write {step}" if step else "")


def _print_unwritten(console: Console, grade: model.Grade, step: str) -> None:
    missing = len(unwritten(grade))
    line = f"Not written yet: {missing} check{'s need' if missing > 1 else ' needs'} code that is missing."
    console.print(Text("\n" + harmless(f"{line} {step}".rstrip()), "dim"), soft_wrap=True)


def _print_mistake(console: Console, mistake: Mistake) -> None:
    check = mistake.check
    console.print()
    cause = (harmless(f"  {check.diagnosis or ''}"), "yellow")
    name = (harmless(check.title), "bold"), (harmless(f"  [{check.id}]"), "dim")
    console.print(Text.assemble(("✗ ", "red"), *name, cause))
    _print_indented(console, check.message)
    if check.hint:
        _print_indented(console, check.hint, "italic")
    if line := beside(mistake):
        _print_indented(console, line, "dim")


def _print_indented(console: Console, text: str, style: str = "") -> None:
    """Wrap the text to the terminal's width. Without a terminal keep its lines, so that nothing is cut."""
    text = harmless(text)
    if console.is_terminal:
        console.print(Padding(Text(text, style), (0, 0, 0, 2)))
    else:
        console.print(Text(textwrap.indent(text, "  ")), soft_wrap=True)


def decisions(console: Console, grade: model.Grade) -> None:
    """Print how the final score comes about, and what people decided."""
    if line := reckoning(grade):
        console.print(Text(line[0].upper() + line[1:], "bold"))
    for one in grade.decisions:
        console.print(Text(harmless(f"  {one.at}  {one.by}: {words(one)}: {one.reason}"), "dim"), soft_wrap=True)
    if grade.needs_look:
        console.print(Text("The work has changed since it was last decided about: look at it again.", "yellow"))


def grades(console: Console, rows: Sequence[model.Grade]) -> None:
    """Print the table of a class."""
    names = ["name"] if any(grade.name for grade in rows) else []
    made = table("student", *names, "score", "status", "causes", right=["score"])
    for grade in rows:
        full = grade.final is not None and grade.final == grade.max_score
        made.add_row(
            Text(visible(grade.student)),
            *([Text(visible(grade.name))] if names else []),
            Text("excused" if grade.excused else score(grade.final), "green" if full else "" if grade.final else "red"),
            Text(grade.status, "" if grade.status == "graded" else "yellow"),
            Text(causes(grade), "dim"),
        )
    console.print(made)
