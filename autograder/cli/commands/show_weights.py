"""``show-weights``: a student's own attention weights beside the expected ones."""

from pathlib import Path

import click
from rich.padding import Padding
from rich.text import Text

from autograder import assignments, intake, model
from autograder.cli import options, own_code
from autograder.cli.errors import usage_errors
from autograder.cli.pages import write_page
from autograder.feedback import weights
from autograder.model.text import visible
from autograder.report import terminal
from autograder.report.web.weights_page import weights_page

NOTHING = "There are no weights to draw yet: attngrade check says what is missing."


@click.command()
@click.argument("path", type=options.PATH, default=Path())
@options.assignment()
@click.option("--html", "page", type=options.FILE, help="Write a page with pictures, not text.")
def show_weights_command(path: Path, assignment: str | None, page: Path | None) -> int:
    """Draw your attention weights beside the expected ones: of the worked example, and of a public check."""
    with usage_errors():
        works = intake.open_path(path, assignment)
        grades = [own_code.runner(name, causes=False).grade(work) for name, work in works]
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
            for row in matrix:
                console.print(Padding(_row(row, signed=name == "difference"), (0, 0, 0, 2), expand=False))
        console.print(Text(f"  {weights.words(picture)}\n"), soft_wrap=True)


def _row(row: weights.Row, *, signed: bool) -> Text:
    """Return a row of numbers, on a ground that is the darker the larger they are."""
    line = Text()
    for value in row:
        if value is None:
            line.append("    - ", "dim")
        else:
            line.append(f" {value:+.2f}" if signed else f"  {value:.2f}", weights.style(value, signed=signed))
    return line
