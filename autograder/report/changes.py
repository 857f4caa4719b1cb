"""What a regrade would change, on a terminal."""

from collections.abc import Sequence

from rich.console import Console
from rich.table import Table
from rich.text import Text

from autograder import model
from autograder.course.marks import reckoning
from autograder.model.text import harmless, visible
from autograder.report.summary import number, score, some, table
from autograder.runs.changes import CheckChange, GradeChange, Proposal


def print_changes(console: Console, proposal: Proposal) -> None:
    """Print whose score would change, by how much and because of which checks. Then print counts and special cases."""
    if proposal.changed:
        console.print(_table(proposal.changed))
    elif not proposal.reworded:
        console.print("No score would change." if proposal.graded or proposal.reckoned else "Nothing has changed.")
    console.print(
        f"\n{len(proposal.changed)} with another score or status, "
        f"{proposal.reworded} with the same score and other messages or outcomes, {proposal.unchanged} unchanged; "
        f"{proposal.graded} graded again, {proposal.reckoned} computed from known outcomes"
    )
    for why, count in proposal.reasons.items():
        console.print(Text(harmless(f"  {count} graded again because {why}"), "dim"))
    names = [
        (proposal.failed, "not graded again, through our own fault; they keep their grade"),
        (proposal.work_changed, "the submission has changed; they keep their grade (grade --resume grades it)"),
        (proposal.gone, "no longer among the submissions; they keep their grade"),
        (proposal.ungraded, "not graded before, and not now (grade --resume grades them)"),
    ]
    for students, what in names:
        if students:
            console.print(Text(f"{some(students)}: {what}", "yellow"))


def _table(changes: Sequence[GradeChange]) -> Table:
    rows = table("student", "before", "after", "by", "because of", right=["before", "after", "by"])
    for change in changes:
        by = change.by
        causes = _causes(change.checks)
        if change.status_before != change.status_after:
            causes.insert(0, f"{change.status_before} → {change.status_after}")
        rows.add_row(
            Text(visible(change.student)),
            Text(_of(change.score_before, change.max_before)),
            Text(_of(change.score_after, change.max_after)),
            Text("-" if by is None else f"{by:+.2f}", "" if not by else "green" if by > 0 else "red"),
            Text(harmless("; ".join(causes)), "dim"),
        )
    return rows


def _of(value: float | None, most: float) -> str:
    return score(value) if most == 100 else f"{score(value)} of {number(most)}"


def _signed(points: float) -> str:
    """Return a difference in points, with a sign."""
    return ("+" if points >= 0 else "") + number(points)


def _causes(checks: Sequence[CheckChange]) -> list[str]:
    """Return a text for each check with another outcome, such as ``attention-sums passed → failed, -3 (changed)``.

    Checks that only carry other points share one text.
    """
    texts, reweighted = [], []
    for check in checks:
        points = check.points_after - check.points_before
        if check.before == check.after:
            reweighted.append(points)
        else:
            moved = f"{check.before or 'not there'} → {check.after or 'not there'}"
            texts.append(f"{check.id} {moved}, {_signed(points)} ({check.why})")
    if reweighted:
        texts.append(f"{len(reweighted)} check(s) worth more or less, {_signed(sum(reweighted))}")
    return texts


def print_effects(console: Console, effects: Sequence[tuple[str, model.Grade, model.Grade]]) -> None:
    """Print what decisions change: how each student is shown, and the grade before and after."""
    rows = table("student", "before", "after", "because", right=["before", "after"])
    for shown, was, now in effects:
        texts = ("excused" if grade.excused else score(grade.final) for grade in (was, now))
        rows.add_row(Text(harmless(shown)), *map(Text, texts), Text(reckoning(now), "dim"))
    if effects:
        console.print(rows)
    else:
        console.print("No mark changes.")
