"""``list``: the assignments and how much of each is checked."""

import click

from autograder import assignments
from autograder.cli import options
from autograder.cli.output import print_json
from autograder.report import summary, terminal

COUNTS = ("public checks", "hidden checks")


@click.command()
@options.json
def list_command(as_json: bool) -> int:
    """List the assignments."""
    rows = [_row(assignment) for assignment in assignments.NAMES]
    if as_json:
        print_json(rows)
        return 0
    known = any(row["hidden_checks"] for row in rows)  # the students' edition has none of them
    counts = COUNTS if known else COUNTS[:1]
    table = summary.table("assignment", "title", *counts, right=counts)
    for row in rows:
        public = f"{row['public_checks']} ({row['public_points']:g} points)"
        cells = (public, str(row["hidden_checks"] or "-"))[: len(counts)]
        table.add_row(str(row["assignment"]), str(row["title"]), *cells)
    terminal.console().print(table)
    if not known:
        terminal.console().print("The other points of 100 come from hidden checks, which run when your work is graded.")
    return 0


def _row(assignment: str) -> dict[str, object]:
    spec = assignments.load(assignment)
    public = [check for check in spec.checks if check.visibility == "public"]
    return {
        "assignment": assignment,
        "title": spec.title,
        "public_checks": len(public),
        "public_points": sum(check.points for check in public),
        "hidden_checks": len(spec.checks) - len(public),
    }
