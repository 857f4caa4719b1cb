"""What a regrade would change, on a terminal."""

from __future__ import annotations

from collections.abc import Sequence

from rich.console import Console
from rich.table import Table
from rich.text import Text

from autograder.regrade import Change, CheckChange, Proposal
from autograder.report.summary import number, one_line

NAMED = 20  # students of one kind that are named


def tell(console: Console, found: Proposal) -> None:
    """Whose score changes, by how much and by which check; then what else there is to know."""
    if found.changed:
        console.print(_table(found.changed))
    elif not found.reworded:
        console.print("No score would change." if found.graded or found.reckoned else "Nothing has changed.")
    counts = [
        (len(found.changed), "with another score or status"),
        (found.reworded, "with the same score and other words or outcomes"),
        (found.unchanged, "unchanged"),
    ]
    told = ", ".join(f"{count} {what}" for count, what in counts)
    console.print(f"\n{told}; {found.graded} graded again, {found.reckoned} reckoned anew without")
    for why, count in found.reasons.items():
        console.print(Text(f"  {count} graded again because {why}", "dim"))
    names = [
        (found.failed, "could not be graded again, by our fault, and keep what they have"),
        (
            found.work_changed,
            "handed in something else since; they keep what they have (grade --resume takes it)",
        ),
        (found.gone, "are no longer among the submissions; they keep what they have"),
        (found.ungraded, "were not graded before and are not now (grade --resume does)"),
    ]
    for students, what in names:
        if students:
            more = f" and {len(students) - NAMED} more" if len(students) > NAMED else ""
            named = ", ".join(one_line(student) for student in students[:NAMED])
            console.print(Text(f"{named}{more}: {what}", "yellow"))


def _table(changes: list[Change]) -> Table:
    table = Table(box=None, pad_edge=False, header_style="bold")
    for heading in ("student", "before", "after", "by", "because of"):
        left = heading in ("student", "because of")
        table.add_column(heading, justify="left" if left else "right", overflow="fold")
    for change in changes:
        by = change.by
        colour = "" if not by else "green" if by > 0 else "red"
        status = f"{change.status_before} → {change.status_after}"
        causes = _causes(change.checks)
        table.add_row(
            Text(one_line(change.student)),
            Text(_score(change.score_before, change.max_before)),
            Text(_score(change.score_after, change.max_after)),
            Text("-" if by is None else f"{by:+.10g}", colour),
            Text(
                "; ".join([status, *causes] if change.status_before != change.status_after else causes), "dim"
            ),
        )
    return table


def _score(score: float | None, most: float) -> str:
    return number(score) if most == 100 else f"{number(score)} of {number(most)}"


def _causes(checks: Sequence[CheckChange]) -> list[str]:
    """Each check that came out otherwise; those that only weigh otherwise together."""
    told = [_cause(check) for check in checks if check.before != check.after]
    others = [check.points_after - check.points_before for check in checks if check.before == check.after]
    if others:
        told.append(f"{len(others)} check(s) worth more or less, {round(sum(others), 6):+.10g}")
    return told


def _cause(check: CheckChange) -> str:
    """``attention-sums passed → failed, -3 (changed)``."""
    moved = f"{check.before or 'not there'} → {check.after or 'not there'}"
    return f"{check.id} {moved}, {round(check.points_after - check.points_before, 6):+.10g} ({check.why})"
