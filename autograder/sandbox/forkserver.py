"""The grader's side of the fork server: one server for each grading process, restarted if it breaks."""

from __future__ import annotations

import contextlib
import os
import socket
import subprocess
import tempfile
import time
from typing import IO

import msgspec

from autograder.protocol import wire
from autograder.sandbox import availability, bootstrap, clock, commands, environment
from autograder.sandbox.availability import SandboxError
from autograder.sandbox.launch import ENDING_SECONDS, START_SECONDS, Ended, discard
from autograder.sandbox.limits import Limits

REPLY_SECONDS = 30.0
DRIVER_SECONDS = 90.0  # more, for a worker that starts a CUDA driver while many others do


class ForkedWorker:
    """A child of the fork server."""

    def __init__(self, server: ForkServer, pid: int, connection: socket.socket) -> None:
        self.server = server
        self.pid = pid  # in the server's namespace
        self.visible_pid = 0  # in this process's namespace
        self.born = server.starts
        self.began = time.monotonic()
        self.connection = connection
        self.stream = wire.Stream(connection.fileno(), connection.fileno(), blocking=False)

    def cpu_seconds(self) -> float:
        """See launch.Worker.cpu_seconds."""
        return clock.cpu_seconds(self.visible_pid)

    def cpu_now(self) -> float | None:
        """See launch.Worker.cpu_now."""
        return clock.cpu_now(self.visible_pid)

    def waiting(self) -> clock.Waiting | None:
        """See launch.Worker.waiting."""
        return clock.waiting(self.visible_pid)

    def end(self, patience: float = 0.0) -> Ended:
        """See launch.Worker.end. A server that does not answer is replaced at the next launch."""
        self.connection.close()
        gone = Ended(None, by_itself=False)
        ended = self.server.end(self.pid, patience) if self.born == self.server.starts else gone
        return msgspec.structs.replace(
            ended, life_seconds=time.monotonic() - self.began, can_signal=self.server.can_signal
        )


class ForkServer:
    """A launcher whose workers cost milliseconds. Starting it returns at once; the first launch waits."""

    def __init__(
        self, limits: Limits, *, split: socket.socket | None = None, unconfined: bool = False, device: str = "cpu"
    ) -> None:
        """``split``: a socket from another server's ``split()``, which saves importing torch again. Raises SandboxError
        if workers cannot be confined, unless ``unconfined``."""
        self.limits = limits
        self.device = device
        self.layers = availability.layers(unconfined, device)
        # The driver of a device needs system calls with which a process can have signals sent to itself.
        self.can_signal = "seccomp" not in self.layers or device != "cpu"
        self.starts = 0  # how often this object started a server
        self.cpu_seconds = 0.0  # of all ended workers
        self._scratch = tempfile.TemporaryDirectory(prefix="attngrade-", ignore_cleanup_errors=True)
        self._process: subprocess.Popen[bytes] | None = None
        self._words: IO[bytes] | None = None  # the server's stderr, quoted in errors
        if split is None:
            self._start()
        else:
            self._control, self._ready = split, True

    def launch(self) -> ForkedWorker:
        """See launch.Launcher.launch. Restarts a dead server once."""
        for _ in range(2):
            try:
                return self._confined(ForkedWorker(self, *self._fork(commands.FORK)))
            except (OSError, SandboxError) as error:
                trouble = f"{error}; {self._last_words()}"
                self._stop()
                self._start()
        raise SandboxError(f"the fork server does not serve: {trouble}")

    def _confined(self, worker: ForkedWorker) -> ForkedWorker:
        """Return the worker after it has reported that all its layers are up."""
        seconds = REPLY_SECONDS + (DRIVER_SECONDS if self.device == "cuda" else 0.0)
        try:
            worker.visible_pid = clock.sender(worker.connection, len(commands.READY), time.monotonic() + seconds)
        except wire.WireError as error:
            raise SandboxError(f"a worker could not be confined ({worker.end(ENDING_SECONDS).how})") from error
        return worker

    def split(self) -> socket.socket:
        """Return the control socket of a second server, forked from this one. Raises SandboxError."""
        try:
            return self._fork(commands.SPLIT)[1]
        except OSError as error:
            raise SandboxError(f"the fork server does not split: {error}; {self._last_words()}") from error

    def end(self, pid: int, patience: float = 0.0) -> Ended:
        """Kill and reap a worker after ``patience`` seconds, add its CPU time, and return how it ended."""
        try:
            self._control.sendall(commands.ORDER.pack(commands.KILL, pid, patience))
            status, by_itself, user, system, peak = commands.ENDED.unpack(self._receive(commands.ENDED.size))
        except (OSError, SandboxError):
            self._stop()  # its workers end with it
            with contextlib.suppress(SandboxError):  # the next launch reports it
                self._start()
            return Ended(None, by_itself=False)
        self.cpu_seconds += user + system
        return Ended(os.waitstatus_to_exitcode(status), by_itself, user + system, peak)

    def close(self) -> None:
        """End the server and every worker. The server gets a moment to reap them, so that their CPU time counts."""
        self._control.close()
        if self._process:
            with contextlib.suppress(subprocess.TimeoutExpired):
                self._process.wait(REPLY_SECONDS)
        self._stop()
        discard(self._scratch)

    def _start(self) -> None:
        self.starts += 1
        ours, theirs = socket.socketpair()
        self._words = tempfile.TemporaryFile()  # noqa: SIM115 - stays open while the server lives
        setup = availability.prepared(self.limits, self.layers, self._scratch.name, self.device)
        self._control = ours
        with theirs:
            try:
                self._process = subprocess.Popen(
                    bootstrap.command("server", setup, str(theirs.fileno())),
                    stdin=subprocess.DEVNULL,
                    stdout=subprocess.DEVNULL,
                    stderr=self._words,
                    pass_fds=(theirs.fileno(),),
                    env=environment.variables(self.device),
                )
            except OSError as error:
                raise SandboxError(f"no fork server could be started: {error}") from error
        self._control.settimeout(START_SECONDS)
        self._ready = False

    def _fork(self, kind: bytes) -> tuple[int, socket.socket]:
        if not self._ready:
            self._receive(len(commands.READY))
            self._control.settimeout(REPLY_SECONDS)
            self._ready = True
        ours, theirs = socket.socketpair()
        clock.ask_for_sender(ours)
        with theirs:
            socket.send_fds(self._control, [commands.ORDER.pack(kind, 0, 0.0)], [theirs.fileno()])
        (pid,) = commands.PID.unpack(self._receive(commands.PID.size))
        if kind == commands.SPLIT:
            ours.settimeout(REPLY_SECONDS)
        return pid, ours

    def _receive(self, count: int) -> bytes:
        data = b""
        while len(data) < count:
            chunk = self._control.recv(count - len(data))
            if not chunk:
                raise SandboxError("the fork server has ended")
            data += chunk
        return data

    def _stop(self) -> None:
        self._control.close()  # a split server ends when this socket closes
        if self._process:
            self._process.kill()
            self._process.wait()
        if self._words:
            self._words.close()

    def _last_words(self) -> str:
        lines: list[str] = []
        with contextlib.suppress(OSError, ValueError):
            if self._words:
                self._words.seek(0)
                lines = self._words.read()[-2000:].decode("utf-8", "replace").strip().splitlines()
        return lines[-1][:300] if lines else "it said nothing"
