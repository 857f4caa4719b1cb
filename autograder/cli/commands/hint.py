"""``hint``: help in steps for one function or class."""

import click
from rich.markdown import Markdown
from rich.text import Text

from autograder import assignments
from autograder.assignments.hints import STEPS, hints, of_part, step
from autograder.cli import options
from autograder.course.settings import unknown
from autograder.report import terminal


@click.command()
@click.argument("part", metavar="PART")
@click.argument("number", type=click.IntRange(1, STEPS), default=1, metavar="[STEP]")
@options.assignment()
def hint_command(part: str, number: int, assignment: str | None) -> int:
    """Help with a function, a class or a method, in three steps.

    Step 1 is a question, step 2 names the section to read, and step 3 is a smaller case, worked out.
    """
    names = [assignment] if assignment else list(assignments.NAMES)
    found = {name: hint for one in names for name, hint in of_part(one, part).items()}
    if not found:
        known = [name for one in names for name in _names(one)]
        raise click.UsageError(unknown(part, known, "part with hints"))
    console = terminal.console()
    for name, hint in found.items():
        console.print(Text.assemble((name, "bold"), (f"  step {number} of {STEPS}", "dim")))
        console.print(Markdown(step(hint, number)))
        console.print()
    if number < STEPS:
        console.print(Text(f"Still stuck? attngrade hint {part} {number + 1}", "dim"))
    return 0


def _names(assignment: str) -> list[str]:
    """Return what a hint may be asked for: parts and methods."""
    return list(dict.fromkeys(each for name in hints(assignment) for each in (name.partition(".")[0], name)))
