"""``hint``: help in steps for one function, class or method."""

from collections.abc import Collection
from pathlib import Path

import click
from rich.markdown import Markdown
from rich.text import Text

from autograder import assignments
from autograder.assignments.hints import STEPS, Hint, hints, of_part, step
from autograder.cli import options
from autograder.course.settings import unknown
from autograder.intake.names import exact_names
from autograder.report import terminal


@click.command()
@click.argument("part", required=False)
@click.argument("number", type=click.IntRange(1, STEPS), default=1, metavar="[STEP]")
@options.assignment()
def hint_command(part: str | None, number: int, assignment: str | None) -> int:
    """Help with a function, a class or a method, in three steps.

    Step 1 is a question, step 2 names the section to read, and step 3 is a smaller case, worked out. Without PART it
    lists what there are hints for. The name of an assignment lists its parts.
    """
    names = [assignment] if assignment else _here() or list(assignments.NAMES)
    if part and part in assignments.NAMES and not of_part(part, part):
        names, part = [part], None
    if part is None:
        _print_names(names)
        return 0
    if len(owners := [one for one in names if of_part(one, part)]) > 1:
        raise click.UsageError(f"{part} is a part of {' and of '.join(owners)}; name yours with --assignment")
    found = _found(names, part) or _found(assignments.NAMES if assignment is None else (), part)
    if not found:
        raise click.UsageError(_unknown(names, part))
    console = terminal.console()
    for name, hint in found.items():
        console.print(Text.assemble((name, "bold"), (f"  step {number} of {STEPS}", "dim")))
        console.print(Markdown(step(hint, number)))
        console.print()
    if number < STEPS:
        one = f" For one of them alone: attngrade hint {next(iter(found))}" if len(found) > 1 else ""
        console.print(Text(f"Still stuck? attngrade hint {part} {number + 1}{one and '.'}{one}", "dim"), soft_wrap=True)
    return 0


def _here() -> list[str]:
    """Return the assignments whose work lies in the folder that the user is in."""
    return [name for name in assignments.NAMES if any(Path(file).is_file() for file in exact_names(name))]


def _found(names: Collection[str], part: str) -> dict[str, Hint]:
    """Return the hints for a part, or for a method whose name only one class has, such as ``score``."""
    found = {name: hint for one in names for name, hint in of_part(one, part).items()}
    methods = {name: hint for one in names for name, hint in hints(one).items() if name.endswith(f".{part}")}
    return found or (methods if len(methods) == 1 else {})


def _unknown(names: Collection[str], part: str) -> str:
    """Return the message about a name without hints. A method of several classes is named with each of them."""
    methods = [name for one in names for name in hints(one) if name.endswith(f".{part}")]
    if methods:
        return f"several classes have {part}; expected one of {', '.join(methods)}"
    return unknown(part, [name for one in names for name in _names(one)], "part with hints")


def _names(assignment: str) -> list[str]:
    """Return what a hint may be asked for: parts and methods."""
    return list(dict.fromkeys(each for name in hints(assignment) for each in (name.partition(".")[0], name)))


def _print_names(names: Collection[str]) -> None:
    """Print what there are hints for, a line for each assignment."""
    console = terminal.console()
    for name in names:
        console.print(Text.assemble((name, "bold"), f": {', '.join(hints(name))}"), soft_wrap=True)
    console.print(Text("\nOne of them: attngrade hint PART, then attngrade hint PART 2 and 3", "dim"), soft_wrap=True)
