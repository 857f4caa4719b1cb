"""How a Python that may run student code is started: with what it needs, and nothing of the grader's."""

from __future__ import annotations

import contextlib
import os
import signal
import subprocess
import tempfile
import time
from typing import Protocol

from autograder import wire
from autograder.sandbox import bare, control, standing
from autograder.sandbox.limits import Limits
from autograder.sandbox.standing import SandboxError

START_SECONDS = 180.0  # importing torch from a cold, busy disk
SERVER_DIED = "killed with its server"  # how a worker ended that did not end by itself
# A confined worker can't send a signal: it was killed by somebody else, or by a kernel that is short of memory.
KILLED = "signal SIGKILL"


class Worker(Protocol):
    """A process that serves one submission."""

    stream: wire.Stream

    def cpu_seconds(self) -> float:
        """The CPU time that it has used, as the kernel counts it. Raises OSError where that can't be had."""

    def waited_seconds(self) -> float:
        """For how long it was ready to run and had no processor; 0 where that can't be had."""

    def end(self) -> str:
        """Kills the worker and all it started; says how it ended where it had ended by itself."""


class Launcher(Protocol):
    """Starts workers."""

    limits: Limits

    def launch(self) -> Worker:
        """A new worker. Raises SandboxError."""

    def close(self) -> None:
        """Ends everything that was started."""


def discard(folder: tempfile.TemporaryDirectory[str]) -> None:
    """Removes a worker's folder, in whatever state student code has left it."""
    with contextlib.suppress(OSError, RecursionError):
        folder.cleanup()
    if os.path.lexists(folder.name) and os.name == "posix":  # folders a thousand deep, say: rm knows how
        for words in (["chmod", "-R", "u+rwx"], ["rm", "-rf"]):
            subprocess.run([*words, "--", folder.name], check=False, stderr=subprocess.DEVNULL)


def describe_exit(status: int) -> str:
    """How a process ended, from its exit code or, where negative, its signal: ``signal SIGSEGV``."""
    if status < 0:
        with contextlib.suppress(ValueError):
            return f"signal {signal.Signals(-status).name}"
    return f"exit code {status}"


class SingleWorker:
    """A process that was started for one submission."""

    def __init__(self, process: subprocess.Popen[bytes], scratch: tempfile.TemporaryDirectory[str]) -> None:
        assert process.stdin
        assert process.stdout
        self.process = process
        self.scratch = scratch
        self.stream = wire.Stream(process.stdout.fileno(), process.stdin.fileno(), blocking=False)

    def cpu_seconds(self) -> float:
        """See Worker.cpu_seconds. The process that was started may only wait for the one that serves."""
        raise OSError("the CPU time of a worker of its own can't be read")

    def waited_seconds(self) -> float:
        """See Worker.waited_seconds and cpu_seconds."""
        return 0.0

    def kill(self) -> None:
        """Ends the worker's process group; on Windows the process."""
        if os.name == "posix":
            with contextlib.suppress(ProcessLookupError, PermissionError):
                os.killpg(self.process.pid, signal.SIGKILL)
        self.process.kill()

    def end(self) -> str:
        """See Worker.end."""
        self.kill()
        status = self.process.wait()
        for pipe in (self.process.stdin, self.process.stdout):
            with contextlib.suppress(OSError):
                pipe.close() if pipe else None
        discard(self.scratch)
        return describe_exit(status)


class SingleLauncher:
    """Starts a Python for every worker: a second each, but the same on every platform."""

    def __init__(self, limits: Limits, *, unconfined: bool = False, device: str = "cpu") -> None:
        """Raises SandboxError where workers can't be confined, unless ``unconfined``."""
        self.limits = limits
        self.device = device
        self.layers = standing.layers(unconfined)

    def launch(self) -> SingleWorker:
        """See Launcher.launch."""
        try:
            scratch = tempfile.TemporaryDirectory(prefix="attngrade-", ignore_cleanup_errors=True)
            setup = standing.prepared(self.limits, self.layers, scratch.name, device=self.device)
            process = subprocess.Popen(
                bare.command("single", setup),
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                stderr=subprocess.DEVNULL,
                env=bare.environment(),
                bufsize=0,
            )
        except OSError as error:
            raise SandboxError(f"no worker could be started: {error}") from error
        worker = SingleWorker(process, scratch)
        try:
            worker.stream.read(len(control.READY), time.monotonic() + START_SECONDS)
        except wire.WireError as error:
            raise SandboxError(f"Python with torch does not start ({worker.end()})") from error
        return worker

    def close(self) -> None:
        """Nothing outlives its worker."""
