"""How two grades differ, on a terminal."""

from collections.abc import Iterable, Sequence

from rich.console import Console
from rich.table import Table
from rich.text import Text

from autograder import model
from autograder.model.text import harmless, visible
from autograder.report.mistakes import LOST
from autograder.report.summary import number, score, table
from autograder.runs.differences import CheckDifference, Difference, Side

DIGITS = 2  # of points, after the point
COLOURS = {"+": "green", "-": "red", "@": "cyan"}


def print_difference(console: Console, found: Difference) -> None:
    """Print both scores, the parts and checks that differ, and why."""
    console.print(_sides(found))
    if not (found.parts or found.checks):
        console.print("\nNo check differs." if _same(found.first, found.second) else "")
    if found.parts:
        console.print()
        console.print(_parts(found))
    if found.checks:
        console.print()
        console.print(_checks(found.checks))
    for outcomes, side in (
        ([check.first for check in found.checks], found.first),
        ([check.second for check in found.checks], found.second),
    ):
        for outcome in _one_a_cause(outcomes):
            console.print()
            console.print(_text(f"{visible(side.name)}, {outcome.id}: {outcome.message}"), soft_wrap=True)


def _sides(found: Difference) -> Table:
    """Return both scores, and the final ones where people's decisions or lateness changed one."""
    both = (found.first, found.second)
    final = ["final"] if any(side.final != side.score for side in both) else []
    sides = table("", "score", *final, "status", "causes", right=["score", "final"])
    for side in both:
        of = f"{score(side.score)} of {_points(side.max_score)}"
        after = [Text(score(side.final))] if final else []
        causes = _text(", ".join(side.causes))
        sides.add_row(_text(visible(side.name), "bold"), Text(of), *after, Text(side.status), causes)
    return sides


def print_code(console: Console, lines: Sequence[str], note: str) -> None:
    """Print a unified diff, or the note that says why there is none."""
    console.print()
    if note:
        console.print(_text(note, "yellow"), soft_wrap=True)
    for line in lines:
        console.print(_text(line.expandtabs(), COLOURS.get(line[:1], "")), soft_wrap=True)


def _one_a_cause(outcomes: Iterable[model.Outcome | None]) -> list[model.Outcome]:
    """Return the failed checks, of several with one cause the first."""
    found: dict[str, model.Outcome] = {}
    for outcome in outcomes:
        if outcome and outcome.status in LOST:
            found.setdefault(outcome.diagnosis or f"check {outcome.id}", outcome)
    return list(found.values())


def _parts(found: Difference) -> Table:
    rows = table("part", "first", "second", "by", right=["first", "second", "by"])
    for part in found.parts:
        rows.add_row(_text(part.part), _points(part.first), _points(part.second), _by(part.second - part.first))
    return rows


def _checks(checks: Sequence[CheckDifference]) -> Table:
    rows = table("check", "first", "second", "by", right=["by"])
    for check in checks:
        points = [outcome.points if outcome else 0.0 for outcome in (check.first, check.second)]
        rows.add_row(_text(check.id), _outcome(check.first), _outcome(check.second), _by(points[1] - points[0]))
    return rows


def _outcome(outcome: model.Outcome | None) -> Text:
    if outcome is None:
        return Text("not there", "dim")
    cause = f" ({outcome.diagnosis})" if outcome.diagnosis else ""
    return _text(f"{outcome.status}, {_points(outcome.points)}/{_points(outcome.max_points)}{cause}")


def _by(points: float) -> Text:
    points = round(points, DIGITS) or 0.0  # no -0
    return Text(f"{points:+.10g}" if points else "0", "" if not points else "green" if points > 0 else "red")


def _points(points: float | None) -> str:
    return number(None if points is None else round(points, DIGITS))


def _same(first: Side, second: Side) -> bool:
    return _headline(first) == _headline(second)


def _headline(side: Side) -> object:
    return side.score, side.final, side.status, side.message


def _text(text: str, style: str = "") -> Text:
    return Text(harmless(text), style)
