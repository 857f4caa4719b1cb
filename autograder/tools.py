"""``attngrade nbgrader`` and ``attngrade otter``: the commands that work inside other programs."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import click

from autograder.model import TOPICS
from autograder.options import Group, json_option, seed_option, topic_argument, unconfined_option


@click.group(cls=Group)
def otter() -> None:
    """Work inside otter-grader and Gradescope."""


@otter.command("build")
@topic_argument
@click.option("--out", "-o", type=click.Path(path_type=Path, file_okay=False),
              help="Folder for the notebooks and autograder.zip [default: otter-TOPIC].")  # fmt: skip
@click.option("--no-timing", is_flag=True, help="Leave the timing checks out.")
@click.option("--hidden-checks", type=click.Choice(("after_published", "after_due_date", "visible", "hidden")),
              default="after_published", show_default=True, help="When Gradescope shows hidden checks.")  # fmt: skip
@seed_option
@unconfined_option
def otter_build(topic: str, out: Path | None, **options: Any) -> int:
    """Make the students' notebook and the secret autograder.zip for Gradescope (in a checkout)."""
    from autograder.commands import otter as command

    return command.build(topic, out or Path(f"otter-{topic}"), **options)


@otter.command("autograde", hidden=True)
@click.argument("root", type=click.Path(path_type=Path, file_okay=False, exists=True))
@click.option("--work", type=click.Path(path_type=Path, exists=True), help="What to grade [ROOT/submission].")
@json_option
def otter_autograde(root: Path, work: Path | None, as_json: bool) -> int:
    """Grade ROOT/submission into ROOT/results/results.json; runs inside an autograder.zip."""
    from autograder.commands import otter as command

    return command.autograde(root, work, as_json)


@otter.command("prepare", hidden=True)
def otter_prepare() -> int:
    """Compute the expected values of an autograder.zip and try its confinement; runs inside one."""
    from autograder.commands import otter as command

    return command.prepare()


@click.group(cls=Group)
def nbgrader() -> None:
    """Courses for nbgrader, graded by attngrade."""


@nbgrader.command("init")
@click.argument("course", type=click.Path(path_type=Path, file_okay=False))
@click.option("--topic", "-t", "topics", multiple=True, type=click.Choice(TOPICS),
              help="An assignment to put into it; can be given again [default: all].")  # fmt: skip
@click.option("--no-timing", is_flag=True, help="Without the check of speed.")
def nbgrader_init(course: Path, topics: tuple[str, ...], no_timing: bool) -> int:
    """Make the folder COURSE: nbgrader's configuration, and source notebooks (in a checkout)."""
    from autograder.commands import nbgrader as command

    return command.init(course, topics, not no_timing)


@nbgrader.command("grade")
@click.argument("course", type=click.Path(path_type=Path, file_okay=False, exists=True))
@topic_argument
@click.option(
    "--jobs", "-j", type=click.IntRange(1, 256), help="Submissions at a time [default: one a core]."
)
@click.option("--dry-run", is_flag=True, help="Write nothing; tell whose score would change.")
@click.option("--no-timing", is_flag=True, help="Leave the timing checks out.")
@click.option("--device", type=click.Choice(["cpu", "cuda"]), help="Where the tensors of the checks live.")
@unconfined_option
@json_option
def nbgrader_grade(course: Path, topic: str, **options: Any) -> int:
    """Grade what nbgrader has collected of TOPIC into its gradebook."""
    from autograder.commands import nbgrader as command

    return command.grade(course, topic, **options)
