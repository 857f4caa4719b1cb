"""``build``: all generated files."""

import click

from autograder import assignments
from autograder.cli import options, shipped_values
from autograder.cli.checkout import ROOT, require_checkout
from autograder.cli.errors import usage_errors
from autograder.runs.results import write_whole


@click.command()
@click.argument("names", type=options.ASSIGNMENT, nargs=-1, metavar="[ASSIGNMENT]...")
@click.option("--check", "only_check", is_flag=True, help="Write nothing; exit 1 if a generated file is out of date.")
def build_command(names: tuple[str, ...], only_check: bool) -> int:
    """Make assignments/ and the shipped values anew.

    It makes those of all assignments, or of these.
    """
    require_checkout("build")
    with usage_errors(extra="instructor"):
        from autograder.instructor.release import build
    changed: list[str] = []
    for assignment in names or assignments.NAMES:
        changed += build(assignment, ROOT, only_check)
        for path, values in shipped_values.outdated(assignment).items():
            changed.append(str(path.relative_to(ROOT)))
            if not only_check:
                write_whole(path, values)
    for name in changed:
        click.echo(f"{'out of date' if only_check else 'written'}: {name}")
    return 1 if only_check and changed else 0
