"""What ``--watch`` does: look at files again and again, and act on what a save changes."""

import contextlib
import os
import time
from collections.abc import Callable, Iterator, Sequence
from typing import TypeVar

import click

from autograder import model, protocol
from autograder.cli import own_code
from autograder.grading.runner import GradeAndOutput, Runner
from autograder.intake import IntakeError
from autograder.sandbox.forkserver import ForkServer
from autograder.sandbox.launch import SingleLauncher
from autograder.sandbox.limits import Limits, altered

T = TypeVar("T")
Works = Sequence[tuple[str, model.Submission]]  # assignments and what is there of each
EVERY = 0.1  # seconds between two looks at the files
WAITING = "Waiting for the next save. Ctrl-C ends this."
SHORT = {"case_seconds": 2.0, "submission_seconds": 20.0}  # nobody who waits wants an endless loop to take longer


class Warm:
    """Grades one's own code by the public checks, in workers that are forked from a process that has torch already.

    Windows cannot fork: there, each check starts a worker anew.
    """

    def __init__(self, device: protocol.Device) -> None:
        """Raises ``SandboxError``."""
        self.device = device
        limits = altered(Limits(), SHORT)
        launcher = ForkServer if os.name == "posix" else SingleLauncher
        self.server: ForkServer | SingleLauncher = launcher(limits, unconfined=True, device=device)
        self.runners: dict[str, Runner] = {}

    def grade(self, assignment: str, work: model.Submission) -> GradeAndOutput:
        """Return the grade and what the submission printed. Raises ``SuiteError``."""
        if assignment not in self.runners:
            self.runners[assignment] = own_code.runner(assignment, self.device, self.server)
        return self.runners[assignment].grade_with_output(work)

    def close(self) -> None:
        """End the workers."""
        if isinstance(self.server, ForkServer):
            self.server.close()


def watch_works(read: Callable[[], Works], check: Callable[[Works], None]) -> None:
    """Call ``check`` with the works that ``read`` returns, now and whenever they change; see ``watch``."""
    watch(read, check, _seen)


def _seen(works: Works) -> object:
    return [(name, work.status, work.filename, work.digest, work.note) for name, work in works]


def watch(read: Callable[[], T], act: Callable[[T], None], seen: Callable[[T], object]) -> None:
    """Call ``act`` with what ``read`` returns, now and whenever ``seen`` of it changes, until the person ends it.

    What can't be read is said once. The person ends it with Ctrl-C.
    """
    with contextlib.suppress(KeyboardInterrupt):
        for found in _changes(read, seen):
            act(found)


def pause() -> None:
    """Let the time between two looks pass."""
    time.sleep(EVERY)


def _changes(read: Callable[[], T], seen: Callable[[T], object]) -> Iterator[T]:
    """Yield what is read each time that it is other than before."""
    before: object = None
    while True:
        now: object
        try:
            found = read()
        except (IntakeError, model.CourseError) as error:
            now = str(error)
            if before != now:
                click.echo(f"attngrade: {error}", err=True)
        else:
            now = seen(found)
            if before != now:
                yield found
        before = now
        pause()
