"""``build``: all generated files."""

import click

from autograder import assignments
from autograder.cli.checkout import PACKAGE, ROOT, require_checkout
from autograder.cli.errors import usage_errors
from autograder.grading import suite
from autograder.runs.results import write_whole


@click.command()
@click.option("--check", "only_check", is_flag=True, help="Write nothing; exit 1 if a generated file is out of date.")
def build_command(only_check: bool) -> int:
    """Make assignments/ and the shipped values (in a checkout)."""
    require_checkout("build")
    with usage_errors(extra="instructor"):
        from autograder.instructor.release import build_all

        changed = list(build_all(ROOT, only_check))
    for assignment in assignments.NAMES:
        path, values = PACKAGE / "assignments" / assignment / "expected.msgpack", suite.export(assignment)
        # Equivalent is enough, because another processor may round the last digits differently.
        if not path.exists() or not suite.equivalent(path.read_bytes(), values):
            changed.append(str(path.relative_to(ROOT)))
            if not only_check:
                write_whole(path, values)
    for name in changed:
        click.echo(f"{'out of date' if only_check else 'written'}: {name}")
    return 1 if only_check and changed else 0
