"""``--course FOLDER``, which every command takes: the folder with a course's own assignments."""

import contextlib
import os
from collections.abc import Iterator

import click

from autograder.model.courses import COURSE_VARIABLE

OPTION = "--course"


@contextlib.contextmanager
def named(arguments: list[str]) -> Iterator[list[str]]:
    """Set the variable to the folders that a command line names, and yield the other arguments.

    The assignments are read when they are first imported, so this comes before any command is looked up. Paths in the
    variable become absolute, because a command may start programs in other folders. Raises ``click.UsageError`` where
    no folder follows.
    """
    rest, folders = split(arguments)
    if "" in folders:
        raise click.UsageError(f"{OPTION} needs the folder that holds the course's assignments")
    before = os.environ.get(COURSE_VARIABLE)
    if folders := [*folders, *filter(None, (before or "").split(os.pathsep))]:
        os.environ[COURSE_VARIABLE] = os.pathsep.join(map(os.path.abspath, folders))
    try:
        yield rest
    finally:
        if folders:
            os.environ.pop(COURSE_VARIABLE)
            os.environ.update({COURSE_VARIABLE: before} if before is not None else {})


def split(arguments: list[str]) -> tuple[list[str], list[str]]:
    """Return the arguments without ``--course``, and the folders that it names. After ``--`` there are no options."""
    rest: list[str] = []
    folders: list[str] = []
    left = iter(arguments)
    for argument in left:
        name, equals, value = argument.partition("=")
        if name == OPTION:
            folders.append(value if equals else next(left, ""))
        else:
            rest.append(argument)
        if argument == "--":
            break
    return [*rest, *left], folders


def shown(command: click.Command) -> click.Command:
    """Return the command with ``--course`` in its help and in the shell's completion. ``named`` takes its value."""
    if not any(OPTION in parameter.opts for parameter in command.params):
        command.params.append(
            click.Option(
                [OPTION, "course_folder"],
                type=click.Path(file_okay=False),
                metavar="FOLDER",
                expose_value=False,
                help=f"Folder with a course's own assignments; can be repeated [default: ${COURSE_VARIABLE}].",
            )
        )
    return command
