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
from autograder.grading.usual import declared_limits
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
        self.launchers: dict[Limits, ForkServer | SingleLauncher] = {}
        self._launcher(altered(Limits(), SHORT))
        self.runners: dict[str, Runner] = {}

    def grade(self, assignment: str, work: model.Submission) -> GradeAndOutput:
        """Return the grade and what the submission printed. Raises ``SuiteError``."""
        if assignment not in self.runners:
            declared = declared_limits(assignment)  # where honest code needs longer, so does the person who waits
            launcher = self._launcher(altered(Limits(), declared or SHORT))
            self.runners[assignment] = own_code.runner(assignment, self.device, launcher)
        return self.runners[assignment].grade_with_output(work)

    def _launcher(self, limits: Limits) -> ForkServer | SingleLauncher:
        """Return the launcher with these limits, which starts at its first use."""
        if limits not in self.launchers:
            make = ForkServer if os.name == "posix" else SingleLauncher
            self.launchers[limits] = make(limits, unconfined=True, device=self.device)
        return self.launchers[limits]

    def close(self) -> None:
        """End the workers."""
        for launcher in self.launchers.values():
            if isinstance(launcher, ForkServer):
                launcher.close()


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
