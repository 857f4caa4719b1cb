"""One submission's public checks as Markdown, for the summary page of a GitHub Actions job.

Texts quote the submission. So each stands in a fence that it can't close, or is escaped.
"""

import html
import re
from collections.abc import Iterable

from autograder import model
from autograder.model.text import harmless
from autograder.report.summary import also, mistakes, number, parts, score

MARKS = {"passed": "✅", "failed": "❌", "error": "❌", "timeout": "❌", "skipped": "➖", "blocked": "⏳"}
SHOWN_IN_FULL = 20  # mistakes; GitHub takes 1 MB a step


def page(grades: Iterable[model.Grade]) -> str:
    """Return the page of one submission, or of several below each other."""
    return "\n".join(line for grade in grades for line in _lines(grade)) + "\n"


def _lines(grade: model.Grade) -> list[str]:
    lines = [f"## {_inline(grade.assignment)}: {score(grade.score)} of {number(grade.max_score)} points", ""]
    lines += ["These are the public checks. Hidden checks with other numbers and sizes give the rest of the 100.", ""]
    if grade.message:
        lines += _fenced(grade.message)
    lines += ["| | check | points |", "|---|---|---:|"]
    for part in parts(grade.checks):
        if part.name:
            lines.append(f"| | **{_inline(part.name)}** | **{number(part.points)}/{number(part.max_points)}** |")
        for check in part.checks:
            if check.max_points:
                of = "-" if check.status == "skipped" else f"{number(check.points)}/{number(check.max_points)}"
                lines.append(f"| {MARKS[check.status]} | {_inline(check.title)} | {of} |")
    for mistake in mistakes(grade)[:SHOWN_IN_FULL]:
        check = mistake.check
        cause = f" `{check.diagnosis}`" if check.diagnosis else ""
        lines += ["", f"### {_inline(check.title)}{cause}", ""]
        lines += _fenced(
            "\n".join(filter(None, (check.message, check.hint, also(mistake.others) if mistake.others else "")))
        )
    return [*lines, ""]


def _inline(text: str) -> str:
    """Return text that stands in a line or a cell as it is."""
    return html.escape(re.sub(r"([\\`*_{}\[\]()!|~$])", r"\\\1", harmless(text)), quote=False)


def _fenced(text: str) -> list[str]:
    """Return the lines of a block, in a fence longer than any in the text."""
    lines = [harmless(line) for line in text.split("\n")]
    fence = "`" * (1 + max(2, *(len(run) for line in lines for run in re.findall("`+", line) or [""])))
    return [f"{fence}text", *lines, fence, ""]
