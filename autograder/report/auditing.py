"""An audit's figures on a terminal."""

from __future__ import annotations

from rich.console import Console
from rich.text import Text

from autograder.audit.figures import Figures, Verdict

HEADINGS = {
    "marked_down": "Right, and marked down",
    "let_through": "Wrong, and let through",
    "survived": "Mutants that survived: kill each by a better check, or show in equivalent.toml why nothing tells it",
    "other_status": "Ended in another status than declared",
    "cause_missed": "The cause was not found",
    "cause_wrong": "A wrong cause was told",
}


def tell(console: Console, found: Figures, everything: bool) -> None:
    """The figures of one topic, then all that went wrong."""
    console.print(Text(f"\n{found.topic}", "bold"))
    for line in _lines(found):
        console.print(Text(f"  {line}"), soft_wrap=True)
    for field, heading in HEADINGS.items():
        verdicts: list[Verdict] = getattr(found, field)
        if verdicts:
            console.print(Text(f"\n  {heading} ({len(verdicts)})", "yellow"))
        for verdict in verdicts:
            console.print(Text.assemble("    ", (verdict.name, "bold"), f"  {verdict.why}"), soft_wrap=True)
            if verdict.diff:
                console.print(Text(_indented(verdict.diff), "dim"), soft_wrap=True)
    idle = [name for name, count in found.caught.items() if not count]
    if idle:
        console.print(Text(f"\n  Checks that caught nothing: {', '.join(idle)}", "yellow"), soft_wrap=True)
    if everything:
        _checks(console, found)


def _lines(found: Figures) -> list[str]:
    killed = found.mutants - len(found.survived)
    return [
        f"right: {found.right}, marked down {len(found.marked_down)}",
        f"wrong: {found.wrong}, let through {len(found.let_through)}",
        f"causes: {found.found:.1%} of {found.labelled} found",
        f"a wrong cause: told to {found.misled:.1%} of {found.labelled + found.symptoms}",
        f"mutants: {found.mutants}, killed {killed}; equivalent besides: {found.equivalent}",
    ]  # fmt: skip


def _checks(console: Console, found: Figures) -> None:
    from rich.table import Table

    table = Table(box=None, pad_edge=False, header_style="bold")
    for heading in ("  check", "caught", "alone"):
        table.add_column(heading, justify="left" if "check" in heading else "right")
    for name, count in found.caught.items():
        table.add_row(f"  {name}", str(count), str(found.killed_alone[name]))
    console.print(table)


def _indented(diff: str) -> str:
    return "\n".join(f"      {line}" for line in diff.splitlines())
