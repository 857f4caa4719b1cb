"""The exit status of every command.

0: done. 1: a check failed (``check``), the run or a submission failed through our own fault (``grade``), or the run
cannot be meant (``SenselessRun``).
2: a wrong call, explained in one line on stderr.
"""

from collections.abc import Callable

import click

from autograder.model.courses import CourseError
from autograder.model.text import one_line


class SenselessRun(click.ClickException):
    """A run that cannot be meant, although the call is right: it ends with status 1 before anything is written."""


def of(command: Callable[[], int | None]) -> int:
    """Run a command and return its exit status. Print a wrong call as one line on stderr."""
    try:
        return int(command() or 0)
    except (click.ClickException, CourseError) as error:
        text = error.format_message() if isinstance(error, click.ClickException) else str(error)
        click.echo(f"attngrade: {one_line(' '.join(text.split()))}", err=True)
        return 1 if isinstance(error, SenselessRun) else 2
    except (click.Abort, KeyboardInterrupt):
        click.echo("attngrade: interrupted", err=True)
        return 1
    except BrokenPipeError:  # for example in `attngrade show OUT ana | head`
        return 0
