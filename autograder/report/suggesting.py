"""Proposed checks on a terminal: their lines, and the mutants that they catch."""

from __future__ import annotations

import textwrap

from rich.console import Console
from rich.text import Text

from autograder.instructor.authoring.suggest.suggestion import Suggestion
from autograder.report.summary import table


def print_suggestion(console: Console, found: Suggestion, with_files: bool) -> None:
    """Print the files that hold the proposed checks, unless they are written; then what the checks catch."""
    for name, text in found.files.items() if with_files else ():
        console.print(Text(f"# {name}", "bold"))
        console.print(Text(text), soft_wrap=True)
    share = f" ({found.share:.1%})" if found.mutants else ""
    console.print(Text(f"{found.assignment}: {found.killed} of {found.mutants} mutants caught{share}", "bold"))
    checks = table("check", "caught", "alone", right=["caught", "alone"])
    for name, count in found.caught.items():
        checks.add_row(name, str(count), str(found.alone[name]))
    console.print(checks)
    _list(console, "Mutants that survived", [(one.name, one.diff) for one in found.survived])
    _list(
        console,
        "Not proposed: they hold on the reference, not on the solution",
        [(one.check, one.message) for one in found.unsolved],
    )
    _list(console, "Not called", [(one, "") for one in found.missing])


def _list(console: Console, heading: str, rows: list[tuple[str, str]]) -> None:
    if rows:
        console.print(Text(f"\n{heading} ({len(rows)})", "yellow"))
    for name, text in rows:
        console.print(Text(f"  {name}"), soft_wrap=True)
        if text:
            console.print(Text(textwrap.indent(text, " " * 4), "dim"), soft_wrap=True)
