"""The command ``attngrade``."""

import io
import os
import sys
from functools import partial
from importlib.util import find_spec

import click

from autograder import __version__
from autograder.cli import courses, exit_status
from autograder.cli.lazy import LazyGroup
from autograder.integrations import startup

SETTINGS = {"help_option_names": ["-h", "--help"], "max_content_width": 100}

SECTIONS = {
    "For students": ("list", "new", "check", "hint", "show-weights", "bench"),
    "For instructors and teaching assistants": (
        *("doctor", "students", "grade", "show", "regrade", "report", "feedback", "export", "purge"),
        "*",
    ),
    "For authors": ("author", "build", "audit"),
}


STUDENTS = "For students"
WHOLE = find_spec("autograder.instructor") is not None  # the students' edition has no room for instructors
ELSEWHERE = "Instructors and authors work in a checkout, where attngrade has more commands."


@click.group(
    cls=LazyGroup,
    package="autograder.cli.commands",
    sections=SECTIONS if WHOLE else {STUDENTS: SECTIONS[STUDENTS]},
    epilog=None if WHOLE else ELSEWHERE,
    context_settings=SETTINGS,
    invoke_without_command=True,
)
@click.version_option(__version__, "-V", "--version", prog_name="attngrade")
@click.pass_context
def cli(context: click.Context) -> None:
    """Checks and grades course assignments on attention mechanisms.

    \b
    Students:     attngrade new ASSIGNMENT, then attngrade check ASSIGNMENT
    Instructors:  attngrade grade SUBMISSIONS --assignment ASSIGNMENT --out OUT
    Authors:      attngrade build, then attngrade audit ASSIGNMENT
    """
    if context.invoked_subcommand is None:
        click.echo(context.get_help())


courses.shown(cli)


def main() -> None:
    """Run the command ``attngrade`` and exit."""
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, io.TextIOWrapper):  # the terminal's encoding may lack characters of a student's name
            stream.reconfigure(errors="backslashreplace")
    os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")  # more threads would only spin: the grader's arrays are small
    startup.relax_garbage_collection()
    sys.exit(run(sys.argv[1:]))


def run(arguments: list[str]) -> int:
    """Run one command and return its exit status."""
    return exit_status.of(partial(_run, arguments))


def _run(arguments: list[str]) -> int | None:
    with courses.named(arguments) as rest:
        done: int | None = cli.main(rest, prog_name="attngrade", standalone_mode=False)
        return done
