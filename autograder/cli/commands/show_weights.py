"""``show-weights``: a student's own attention weights beside the expected ones."""

from collections.abc import Iterator, Sequence
from pathlib import Path

import click
from rich.padding import Padding
from rich.text import Text

from autograder import assignments, intake, model
from autograder.cli import options, own_code
from autograder.cli.errors import usage_errors
from autograder.cli.pages import write_page
from autograder.feedback import weights
from autograder.grading.pictures import can_draw
from autograder.model.text import visible
from autograder.report import terminal
from autograder.report.web.weights_page import weights_page

WIDTH = 7  # of a column: a space, a number with a sign, and what marks a mask
NOTHING = "There are no weights to draw yet: attngrade check says what is missing."

NO_WEIGHTS = "no function here returns attention weights, so there is nothing to draw"


@click.command()
@click.argument("path", type=options.PATH, default=Path())
@options.assignment()
@click.option("--html", "page", type=options.FILE, help="Write a page with pictures, not text.")
def show_weights_command(path: Path, assignment: str | None, page: Path | None) -> int:
    """Draw your attention weights beside the expected ones.

    They are those of the worked example, and of a public check.
    """
    with usage_errors():
        works = intake.open_path(path, assignment)
        runners = [own_code.runner(name, causes=False) for name, _ in works]
        if not any(can_draw(runner.suite) for runner in runners):
            raise click.UsageError(f"{', '.join(name for name, _ in works)}: {NO_WEIGHTS}")
        grades = [runner.grade(work) for runner, (_, work) in zip(runners, works, strict=True)]
    drawn = [grade for grade in grades if grade.pictures]
    if not drawn:
        click.echo(NOTHING)
        return 1
    if page:
        titles = {grade.assignment: assignments.load(grade.assignment).title for grade in drawn}
        write_page(page, weights_page(drawn, titles))
        click.echo(f"Page: {page}")
        return 0
    for grade in drawn:
        _print(grade)
    return 0


def _print(grade: model.Grade) -> None:
    console = terminal.console()
    for picture in grade.pictures:
        axes = f"  rows {picture.axes[0]}, columns {picture.axes[1]}" if all(picture.axes) else ""
        console.print(Text.assemble((visible(picture.part), "bold"), (axes, "dim")))
        for name, matrix in weights.matrices(picture):
            console.print(Text(f"  {name}", "dim"))
            for line in _lines(picture, name, matrix):
                console.print(Padding(line, (0, 0, 0, 2), expand=False))
        console.print(Text(f"  {weights.words(picture)}"), soft_wrap=True)
        console.print(Text(f"  {weights.legend(picture)}\n", "dim"), soft_wrap=True)


def _lines(picture: model.WeightPicture, name: str, matrix: Sequence[weights.Row]) -> Iterator[Text]:
    """Yield the labels of the columns, and each row with its label and its entropy."""
    rows, columns = weights.labels(picture)
    behind = weights.entropies(picture, name)
    left, width = max(map(len, rows), default=0), max(WIDTH, *(len(label) + 1 for label in columns))
    top = "".join(label.rjust(width - 1) + " " for label in columns)
    yield Text(f"{'':{left}}{top}{'     H' if behind else ''}".rstrip(), "dim")
    for place, values in enumerate(matrix):
        line = Text(f"{rows[place]:>{left}}" if place < len(rows) else "", "dim")
        for column, value in enumerate(values):
            line.append_text(_number(value, width, weights.is_masked(picture, place, column), name == "difference"))
        line.append(f" {behind[place]:>5}" if place < len(behind) else "", "dim")
        line.rstrip()
        yield line


def _number(value: float | None, width: int, hidden: bool, signed: bool) -> Text:
    """Return a number, on a ground that is the darker the larger it is, and a sign where the mask hides it."""
    text = weights.cell(value, hidden, signed=signed)
    text += "" if text.endswith(weights.MASKED) else " "
    return Text(f"{text:>{width}}", "dim" if value is None else weights.style(value, signed=signed))
