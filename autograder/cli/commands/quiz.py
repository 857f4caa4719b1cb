"""``quiz``: an assignment's quiz as a file for a learning management system."""

from pathlib import Path

import click

from autograder import assignments
from autograder.assignments import quizzes
from autograder.cli import options
from autograder.cli.checkout import require_checkout
from autograder.cli.errors import writing_to
from autograder.model import tokens
from autograder.runs.results import write_whole


@click.command()
@options.assignment_argument
@click.option(
    "--format", "form", type=click.Choice(["qti", "gift"]), required=True, help="QTI 1.2 for Canvas, GIFT for Moodle."
)
@options.out(required=True, type=options.FILE, help="File to write: a zip for QTI, a text for GIFT.")
@click.option("--student", metavar="ID", help="Keep the order of options in this student's file.")
@options.token_key("Key file of the course, with which this student's token was signed.", "--key")
def quiz_command(assignment: str, form: str, out: Path, student: str | None, token_key: bytes) -> int:
    """Write a quiz and its key for Canvas or Moodle."""
    require_checkout("quiz")
    from autograder.integrations import quiz_files

    if not quizzes.has_quiz(assignment):
        raise click.UsageError(f"{assignment} has no quiz")
    if token_key and student is None:
        raise click.UsageError("--key belongs to a student's token; add --student ID")
    token = None if student is None else tokens.make(assignment, student, token_key)
    items = [
        quiz_files.Item(
            question.text,
            tuple(tokens.shuffled(token, question.text, question.options)) if token else question.options,
            answer.right,
            answer.feedback,
        )
        for question, answer in zip(quizzes.questions(assignment), quizzes.key(assignment), strict=True)
    ]
    title = f"Quiz: {assignments.load(assignment).title}"
    made = (
        quiz_files.qti(assignment, title, items, student is None)
        if form == "qti"
        else quiz_files.gift(title, items, student is None)
    )
    with writing_to(out):
        write_whole(out, made)
    click.echo(f"{out}: {len(items)} questions, with the right answers. Keep it from students.")
    return 0
