"""Starts workers, each in a Python of its own; and what all kinds of workers have in common."""

from __future__ import annotations

import contextlib
import os
import signal
import subprocess
import tempfile
import time
from typing import Protocol

import msgspec

from autograder.protocol import wire
from autograder.sandbox import availability, bootstrap, clock, commands, environment
from autograder.sandbox.availability import SandboxError
from autograder.sandbox.limits import Limits

START_SECONDS = 180.0  # importing torch from a cold, busy disk
ENDING_SECONDS = 2.0  # seconds in which a worker that has closed its connection may end by itself
SERVER_DIED = "killed with its server"


class Ended(msgspec.Struct, frozen=True):
    """How a worker ended."""

    status: int | None  # exit code, or less than 0: a signal; None: unknown, since its server died too
    by_itself: bool  # before the grader killed it
    cpu_seconds: float = 0.0
    peak_bytes: int = 0  # of memory, beyond what every worker begins with
    life_seconds: float = 0.0
    can_signal: bool = True  # whether it could send a signal, also to itself

    @property
    def lived_on(self) -> bool:
        """Whether it lived until the grader killed it."""
        return self.status is not None and not self.by_itself

    @property
    def how(self) -> str:
        """How it ended, in words."""
        if self.status is None:
            return SERVER_DIED
        return "it closed its connection" if self.lived_on else describe_exit(self.status)


class Worker(Protocol):
    """A process that serves one submission."""

    stream: wire.Stream

    def cpu_seconds(self) -> float:
        """Return the CPU seconds used so far, as the kernel counts them. Raises OSError if unknown."""

    def cpu_now(self) -> float | None:
        """Return the same up to the last tick, without waiting. None if unknown."""

    def waiting(self) -> clock.Waiting | None:
        """Return how long it has waited for a processor, and what it does now. None if unknown."""

    def end(self, patience: float = 0.0) -> Ended:
        """Kill the worker and all it started. It gets ``patience`` seconds to end by itself first."""


class Launcher(Protocol):
    """Starts workers."""

    limits: Limits

    def launch(self) -> Worker:
        """Return a new worker. Raises SandboxError."""

    def close(self) -> None:
        """End everything that it started."""


def discard(folder: tempfile.TemporaryDirectory[str]) -> None:
    """Remove a worker's folder, in whatever state student code has left it."""
    with contextlib.suppress(OSError, RecursionError):
        folder.cleanup()
    if os.path.lexists(folder.name) and os.name == "posix":  # rm also removes folders a thousand deep
        for words in (["chmod", "-R", "u+rwx"], ["rm", "-rf"]):
            subprocess.run([*words, "--", folder.name], check=False, stderr=subprocess.DEVNULL)


def describe_exit(status: int) -> str:
    """Return how a process ended: ``exit code 1``, or for a negative status the signal, ``signal SIGSEGV``."""
    if status < 0:
        with contextlib.suppress(ValueError):
            return f"signal {signal.Signals(-status).name}"
    return f"exit code {status}"


class SingleWorker:
    """A process for one submission."""

    def __init__(self, process: subprocess.Popen[bytes], scratch: tempfile.TemporaryDirectory[str]) -> None:
        assert process.stdin
        assert process.stdout
        self.process = process
        self.scratch = scratch
        self.stream = wire.Stream(process.stdout.fileno(), process.stdin.fileno(), blocking=False)

    def cpu_seconds(self) -> float:
        """See Worker.cpu_seconds. Unknown, for the started process may only wait for the one that serves."""
        raise OSError("the CPU time of a worker of its own can't be read")

    def cpu_now(self) -> None:
        """See Worker.cpu_now and cpu_seconds."""

    def waiting(self) -> None:
        """See Worker.waiting and cpu_seconds."""

    def kill(self) -> None:
        """Kill the worker's process group; on Windows the process."""
        if os.name == "posix":
            with contextlib.suppress(ProcessLookupError, PermissionError):
                os.killpg(self.process.pid, signal.SIGKILL)
        self.process.kill()

    def end(self, patience: float = 0.0) -> Ended:
        """See Worker.end."""
        with contextlib.suppress(subprocess.TimeoutExpired):
            self.process.wait(patience)
        by_itself = self.process.poll() is not None
        self.kill()
        status = self.process.wait()
        for pipe in (self.process.stdin, self.process.stdout):
            with contextlib.suppress(OSError):
                pipe.close() if pipe else None
        discard(self.scratch)
        return Ended(status, by_itself)


class SingleLauncher:
    """Starts a Python for every worker. This takes a second each, and works on every platform."""

    def __init__(self, limits: Limits, *, unconfined: bool = False, device: str = "cpu") -> None:
        """Raises SandboxError if workers cannot be confined, unless ``unconfined``."""
        self.limits = limits
        self.device = device
        self.layers = availability.layers(unconfined, device)

    def launch(self) -> SingleWorker:
        """See Launcher.launch."""
        try:
            scratch = tempfile.TemporaryDirectory(prefix="attngrade-", ignore_cleanup_errors=True)
            setup = availability.prepared(self.limits, self.layers, scratch.name, device=self.device)
            process = subprocess.Popen(
                bootstrap.command("single", setup),
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                stderr=subprocess.DEVNULL,
                env=environment.variables(self.device),
                bufsize=0,
            )
        except OSError as error:
            raise SandboxError(f"no worker could be started: {error}") from error
        worker = SingleWorker(process, scratch)
        try:
            worker.stream.read(len(commands.READY), time.monotonic() + START_SECONDS)
        except wire.WireError as error:
            raise SandboxError(f"Python with torch does not start ({worker.end(ENDING_SECONDS).how})") from error
        return worker

    def close(self) -> None:
        """Nothing outlives its worker."""
