"""The command line: arguments, exit codes, and nothing that another room could do.

Exit status: 0 done; 1 a check was not passed (``check``), a row is our own fault or the run failed (``grade``);
2 a wrong call, told in one line.
"""

from __future__ import annotations

import io
import os
import sys
from pathlib import Path
from typing import Any

import click

from autograder import __version__, thrift, tools
from autograder.model import TOPICS
from autograder.options import (
    Group,
    assignment_option,
    device_option,
    json_option,
    roster_option,
    scheduler_option,
    seed_option,
    topic_argument,
    unconfined_option,
    wait_option,
)  # fmt: skip

LAYOUTS = ("auto", "folder", "files", "nbgrader", "gradescope", "canvas")
EXPORTS = ("gradescope", "canvas", "moodle", "csv", "junit", "ctrf", "nbgrader", "otter")
SETTINGS: dict[str, Any] = {"help_option_names": ["-h", "--help"], "max_content_width": 100}


@click.group(cls=Group, context_settings=SETTINGS, invoke_without_command=True)
@click.version_option(__version__, "-V", "--version", prog_name="attngrade")
@click.pass_context
def cli(context: click.Context) -> None:
    """Checks and grades course assignments on attention mechanisms.

    \b
    Students:     attngrade new bahdanau, then attngrade check bahdanau
    Instructors:  attngrade grade SUBMISSIONS --assignment bahdanau --out OUT
    """
    if context.invoked_subcommand is None:
        click.echo(context.get_help())


@cli.command("list")
@json_option
def list_(as_json: bool) -> int:
    """List the assignments."""
    from autograder.commands import topics

    return topics.list_topics(as_json)


@cli.command()
@topic_argument
@click.argument(
    "directory", type=click.Path(path_type=Path, file_okay=False), required=False, metavar="[DIR]"
)
@click.option(
    "--github", "classroom", is_flag=True, help="Also a workflow for GitHub Classroom's autograding."
)
@click.option("--github-plain", "plain", is_flag=True, help="Also a workflow that runs pytest on every push.")
def new(topic: str, directory: Path | None, **workflows: bool) -> int:
    """Copy an assignment's files into DIR (default: a new folder TOPIC)."""
    from autograder.commands import topics

    return topics.new(topic, directory or Path(topic), [name for name, wanted in workflows.items() if wanted])


@cli.command()
@click.argument("path", type=click.Path(path_type=Path))
@assignment_option
@click.option("--full", is_flag=True, help="Run the hidden checks too (instructors).")
@device_option
@click.option("--prints", is_flag=True, help="Show what the submission printed.")
@click.option(
    "--all", "everything", is_flag=True, help="Tell every failure at length, not only the first few."
)
@seed_option
@unconfined_option
@json_option
def check(path: Path, assignment: str | None, **options: Any) -> int:
    """Check one file or folder against the public checks."""
    from autograder.commands import check as command

    return command.check(path, assignment, **options)


@cli.command()
@click.argument("submissions", type=click.Path(path_type=Path))
@click.option("--assignment", "-a", type=click.Choice(TOPICS), required=True, help="Which assignment it is.")
@click.option("--out", "-o", type=click.Path(path_type=Path, file_okay=False), required=True,
              help="Folder for grades.csv, results/ and report/.")  # fmt: skip
@click.option(
    "--jobs", "-j", type=click.IntRange(1, 256), help="Submissions at a time [default: one a core]."
)
@click.option("--layout", type=click.Choice(LAYOUTS), default="auto", help="How the folder is laid out.")
@click.option("--resume", is_flag=True, help="Go on with an earlier run; what it graded is not graded again.")
@click.option("--no-timing", is_flag=True, help="Leave the timing checks out.")
@device_option
@click.option("--case-seconds", type=click.FloatRange(0.1), help="Most time for one case [6].")
@click.option("--submission-seconds", type=click.FloatRange(1), help="Most time for one submission [60].")
@click.option("--memory-gb", type=click.FloatRange(0.1), help="Most memory for one submission [4].")
@click.option("--limit", "more_limits", multiple=True, metavar="NAME=NUMBER",
              help="Another limit: load_seconds=20, cell_seconds=5, answer_bytes=33554432, open_files=64.")  # fmt: skip
@roster_option
@click.option("--log-json", is_flag=True, help="Tell the progress as JSON, one event a line, on stderr.")
@scheduler_option
@wait_option
@seed_option
@unconfined_option
@json_option
def grade(submissions: Path, assignment: str, out: Path, **options: Any) -> int:
    """Grade a folder of submissions."""
    from autograder.commands import grade as command

    return command.grade(submissions, assignment, out, **options)


@cli.command()
@click.argument("out", type=click.Path(path_type=Path, file_okay=False))
@click.argument("submissions", type=click.Path(path_type=Path), required=False, metavar="[SUBMISSIONS]")
@click.option("--apply", is_flag=True, help="Write the change, and keep what it replaces.")
@click.option(
    "--jobs", "-j", type=click.IntRange(1, 256), help="Submissions at a time [default: one a core]."
)
@click.option("--layout", type=click.Choice(LAYOUTS), help="How the folder is laid out [default: as before].")
@click.option(
    "--timing/--no-timing", default=None, help="With or without timing checks [default: as before]."
)
@click.option("--device", type=click.Choice(["cpu", "cuda"]), default=None, help="[default: as before]")
@click.option("--case-seconds", type=click.FloatRange(0.1), help="Most time for one case [as before].")
@click.option(
    "--submission-seconds", type=click.FloatRange(1), help="Most time for one submission [as before]."
)
@click.option("--memory-gb", type=click.FloatRange(0.1), help="Most memory for one submission [as before].")
@click.option("--limit", "more_limits", multiple=True, metavar="NAME=NUMBER", help="See grade.")
@scheduler_option
@wait_option
@seed_option
@unconfined_option
@json_option
def regrade(out: Path, submissions: Path | None, **options: Any) -> int:
    """Show how the grades in OUT would change now that checks, references, seed or limits have.

    Only submissions that the change can touch are run again. Nothing is written without --apply."""
    from autograder.commands import regrade as command

    return command.run(out, submissions, **options)


@cli.command()
@topic_argument
@click.argument("path", type=click.Path(path_type=Path), required=False, metavar="[PATH]")
@click.option("--out", "-o", type=click.Path(path_type=Path, file_okay=False), default=".",
              help="Folder for bench-TOPIC.png and bench-TOPIC.csv [default: this one].")  # fmt: skip
@click.option("--device", type=click.Choice(("cpu", "cuda")), default=None,
              help="Where it runs [default: the CPU, and CUDA too where there is one].")  # fmt: skip
@click.option("--rounds", type=click.IntRange(3, 200), default=15, show_default=True,
              help="How often every size is measured.")  # fmt: skip
@click.option("--unconfined", is_flag=True, help="Measure even where workers can't be confined (see doctor).")
@json_option
def bench(topic: str, path: Path | None, **options: Any) -> int:
    """Measure what a call costs as inputs grow, yours (PATH) beside the reference's; a table and a plot."""
    from autograder.commands import bench as command

    return command.bench(topic, path, **options)


@cli.command()
@click.argument("out", type=click.Path(path_type=Path))
@click.option("--to", type=click.Choice(EXPORTS), required=True, help="For which program.")
@click.option("--output", "-o", type=click.Path(path_type=Path),
              help="File or folder to write [default: in OUT/exports].")  # fmt: skip
@roster_option
@click.option(
    "--missing-as-zero", is_flag=True, help="Write 0 for who handed nothing in, or nothing readable."
)
@click.option("--force", is_flag=True, help="Overwrite what an earlier export wrote.")
@click.option("--column", help="canvas: the assignment's column, by heading, title or id.")
@click.option("--columns", metavar="NAME,...", help="csv: only these columns.")
@click.option(
    "--wide", is_flag=True, help="csv: a row a student, with a column for the points of each check."
)
def export(out: Path, to: str, **options: Any) -> int:
    """Write a graded folder's grades as another program takes them."""
    from autograder.commands import export as command

    return command.export(out, to, **options)


@cli.command()
@click.argument("out", type=click.Path(path_type=Path))
@click.argument("student")
@click.option("--history", is_flag=True, help="List the grades that a regrade has replaced.")
@json_option
def show(out: Path, student: str, history: bool, as_json: bool) -> int:
    """Show one student's result from a graded folder."""
    from autograder.commands import show as command

    return command.history(out, student, as_json) if history else command.show(out, student, as_json)


@cli.command()
@json_option
def doctor(as_json: bool) -> int:
    """Try every layer of the confinement as the user at hand, and say what is missing."""
    from autograder.commands import doctor as command

    return command.doctor(as_json)


@cli.command()
@click.option(
    "--check", "only_check", is_flag=True, help="Write nothing; exit 1 where something is out of step."
)
def build(only_check: bool) -> int:
    """Make assignments/ and the shipped values (in a checkout)."""
    from autograder.commands import build as command

    return command.build(only_check)


@cli.command()
@click.argument("topics", nargs=-1, type=click.Choice(TOPICS), metavar="[TOPIC]...")
@click.option("--corpus", type=click.Path(path_type=Path, file_okay=False),
              help="Folder with a corpus a topic [default: tests/submissions].")  # fmt: skip
@click.option("--seed", default="audit", show_default=True, help="Seed of the hidden inputs.")
@click.option("--dtype", type=click.Choice(("float32", "float64")), help="Ask with inputs of one dtype only.")
@click.option("--no-mutants", is_flag=True, help="Leave the mutants of the solutions out.")
@click.option("--all", "everything", is_flag=True, help="Tell of every check what it catches.")
@click.option(
    "--jobs", "-j", type=click.IntRange(1, 256), help="Submissions at a time [default: one a core]."
)
@json_option
def audit(topics: tuple[str, ...], **options: Any) -> int:
    """Grade submissions whose verdict is known, and print the grader's own figures (in a checkout)."""
    from autograder.commands import audit as command

    return command.audit(topics, **options)


for group in (tools.nbgrader, tools.otter):
    cli.add_command(group)


def main() -> None:
    """The ``attngrade`` command."""
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, io.TextIOWrapper):  # a student's name need not fit into the terminal's encoding
            stream.reconfigure(errors="backslashreplace")
    # NumPy has small arrays to look at here: its threads would only spin.
    os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")
    thrift.seldom_look_for_garbage()
    sys.exit(run(sys.argv[1:]))


def run(arguments: list[str]) -> int:
    """Runs one command and gives its exit status; a wrong call is told in one line on stderr."""
    try:
        status = cli.main(arguments, prog_name="attngrade", standalone_mode=False)
    except click.ClickException as error:
        message = " ".join(error.format_message().split())
        click.echo(f"attngrade: {message}", err=True)
        return 2
    except (click.Abort, KeyboardInterrupt):
        click.echo("attngrade: interrupted", err=True)
        return 1
    except BrokenPipeError:  # the reader of our output has left
        return 0
    return int(status or 0)
