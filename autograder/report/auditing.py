"""An audit's figures on a terminal."""

import textwrap

from rich.console import Console
from rich.text import Text

from autograder.instructor.audit import marks
from autograder.instructor.audit.figures import Figures, Misjudged
from autograder.report.summary import table

HEADINGS = {
    "marked_down": "Right, but marked down",
    "let_through": "Wrong, but let through",
    "survived": "Mutants that survived: catch each with a better check, or explain in equivalent.toml why none can",
    "other_status": "Another status than declared",
    "cause_missed": "Cause not found",
    "cause_wrong": "Wrong cause given",
    "unfair": "Mistakes that cost more than they may",
}


def print_figures(console: Console, figures: Figures, every_check: bool) -> None:
    """Print the figures of one assignment, and everything that went wrong."""
    console.print(Text(f"\n{figures.assignment}", "bold"))
    for line in _lines(figures):
        console.print(Text(f"  {line}"), soft_wrap=True)
    for field, heading in HEADINGS.items():
        verdicts: list[Misjudged] = getattr(figures, field)
        if verdicts:
            console.print(Text(f"\n  {heading} ({len(verdicts)})", "yellow"))
        for verdict in verdicts:
            console.print(Text.assemble("    ", (verdict.name, "bold"), f"  {verdict.why}"), soft_wrap=True)
            if verdict.diff:
                console.print(Text(textwrap.indent(verdict.diff, " " * 6), "dim"), soft_wrap=True)
    if idle := [name for name, count in figures.caught.items() if not count]:
        console.print(Text(f"\n  Checks that caught nothing: {', '.join(idle)}", "yellow"), soft_wrap=True)
    if every_check:
        checks = table("  check", "caught", "alone", right=["caught", "alone"])
        for name, count in figures.caught.items():
            checks.add_row(f"  {name}", str(count), str(figures.killed_alone[name]))
        console.print(checks)


def _lines(figures: Figures) -> list[str]:
    killed = figures.mutants - len(figures.survived)
    middle, most = marks.summary(figures.costs)
    return [
        f"right: {figures.right}, marked down {len(figures.marked_down)}",
        f"wrong: {figures.wrong}, let through {len(figures.let_through)}",
        f"causes: {figures.found:.1%} of {figures.labelled} found",
        f"wrong cause given: {figures.misled:.1%} of {figures.labelled + figures.symptoms}",
        f"marks: one mistake with a known cause costs {middle:g} points (median), at most {most:g}",
        f"mutants: {figures.mutants}, killed {killed}; equivalent: {figures.equivalent}",
    ]
