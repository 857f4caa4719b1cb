"""Two grades beside each other, or a class before and after a regrade."""

from __future__ import annotations

from collections.abc import Sequence

from autograder.report.web.templates import environment
from autograder.runs.changes import Proposal
from autograder.runs.differences import Difference

KINDS = {"+": "good", "-": "bad", "@": "soft"}  # of a line in a unified diff


def difference_page(found: Difference, lines: Sequence[str], note: str, title: str) -> str:
    """Return a page about two students, or two attempts. ``lines`` are a unified diff of their code."""
    code = [(KINDS.get(line[:1], ""), line.expandtabs(4)) for line in lines]
    return environment().get_template("difference.html.jinja").render(found=found, code=code, note=note, title=title)


def changes_page(proposal: Proposal, title: str, applied: bool) -> str:
    """Return a page about what a regrade changes, or has changed."""
    return environment().get_template("changes.html.jinja").render(proposal=proposal, title=title, applied=applied)
