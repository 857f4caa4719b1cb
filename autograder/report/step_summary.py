"""One submission's public checks as Markdown, for the summary page of a GitHub Actions job."""

from collections.abc import Iterable

from autograder import model
from autograder.report.markdown import fenced, inline
from autograder.report.mistakes import FOLLOWS, leaders, mistakes, parts, shown_status
from autograder.report.summary import beside, number, score

MARKS = {"passed": "✅", "failed": "❌", "error": "❌", "timeout": "❌", "skipped": "➖", "blocked": "⏳", FOLLOWS: "↳"}
SHOWN_IN_FULL = 20  # mistakes; GitHub takes 1 MB a step


def page(grades: Iterable[model.Grade]) -> str:
    """Return the page of one submission, or of several below each other."""
    return "\n".join(line for grade in grades for line in _lines(grade)) + "\n"


def _lines(grade: model.Grade) -> list[str]:
    lines = [f"## {inline(grade.assignment)}: {score(grade.score)} of {number(grade.max_score)} points", ""]
    lines += ["These are the public checks. Hidden checks with other numbers and sizes give the rest of the 100.", ""]
    if grade.message:
        lines += fenced(grade.message)
    led = leaders(grade)
    lines += ["| | check | points |", "|---|---|---:|"]
    for part in parts(grade.checks):
        if part.name:
            lines.append(f"| | **{inline(part.name)}** | **{number(part.points)}/{number(part.max_points)}** |")
        for check in part.checks:
            if check.max_points:
                of = "-" if check.status == "skipped" else f"{number(check.points)}/{number(check.max_points)}"
                lines.append(f"| {MARKS[shown_status(check, led)]} | {inline(check.title)} | {of} |")
    for mistake in mistakes(grade)[:SHOWN_IN_FULL]:
        check = mistake.check
        cause = f" `{check.diagnosis}`" if check.diagnosis else ""
        lines += ["", f"### {inline(check.title)}{cause}", ""]
        lines += fenced("\n".join(filter(None, (check.message, check.hint, beside(mistake)))))
    return [*lines, ""]
