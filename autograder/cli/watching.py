"""``check --watch``: checks again whenever the work changes, in a process that stays warm."""

import contextlib
import os
import time
from collections.abc import Callable, Iterator, Sequence

import click

from autograder import model, protocol
from autograder.cli import own_code
from autograder.grading.runner import GradeAndOutput, Runner
from autograder.intake import IntakeError
from autograder.sandbox.forkserver import ForkServer
from autograder.sandbox.launch import SingleLauncher
from autograder.sandbox.limits import Limits, altered

Works = Sequence[tuple[str, model.Submission]]  # assignments and what is there of each
EVERY = 0.1  # seconds between two looks at the files
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


def watch(read: Callable[[], Works], check: Callable[[Works], None]) -> None:
    """Call ``check`` with what ``read`` returns, now and whenever that changes, until the person ends it (Ctrl-C).

    What can't be read is said once.
    """
    with contextlib.suppress(KeyboardInterrupt):
        for works in _changes(read):
            check(works)


def pause() -> None:
    """Let the time between two looks pass."""
    time.sleep(EVERY)


def _changes(read: Callable[[], Works]) -> Iterator[Works]:
    """Yield the works each time that they are other ones than before."""
    before: object = None
    while True:
        try:
            works = read()
            now: object = [(name, work.status, work.filename, work.digest, work.note) for name, work in works]
        except IntakeError as error:
            works, now = (), str(error)
            if now != before:
                click.echo(f"attngrade: {error}", err=True)
        if works and now != before:
            yield works
        before = now
        pause()
