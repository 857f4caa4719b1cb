"""The grader's side of the fork server: one server a grading process, restarted when it is hurt."""

from __future__ import annotations

import contextlib
import os
import socket
import subprocess
import tempfile
import time
from typing import IO

from autograder import wire
from autograder.sandbox import bare, clock, control, standing
from autograder.sandbox.launch import SERVER_DIED, START_SECONDS, describe_exit, discard
from autograder.sandbox.limits import Limits
from autograder.sandbox.standing import SandboxError

REPLY_SECONDS = 30.0


class ForkedWorker:
    """A child of the fork server."""

    def __init__(self, server: ForkServer, pid: int, connection: socket.socket) -> None:
        self.server = server
        self.pid = pid  # where the server lives
        self.visible_pid = 0  # here
        self.born = server.starts
        self.connection = connection
        self.stream = wire.Stream(connection.fileno(), connection.fileno(), blocking=False)

    def cpu_seconds(self) -> float:
        """See launch.Worker.cpu_seconds."""
        return clock.cpu_seconds(self.visible_pid)

    def waited_seconds(self) -> float:
        """See launch.Worker.waited_seconds."""
        return clock.waited_seconds(self.visible_pid)

    def end(self) -> str:
        """See launch.Worker.end. A server that can't say so is replaced at the next launch."""
        self.connection.close()
        return self.server.end(self.pid) if self.born == self.server.starts else SERVER_DIED


class ForkServer:
    """A launcher whose workers cost milliseconds. Starting it returns at once; the first launch waits."""

    def __init__(
        self,
        limits: Limits,
        *,
        split: socket.socket | None = None,
        unconfined: bool = False,
        device: str = "cpu",
    ) -> None:
        """With ``split``, a socket from another server's ``split()``, torch is not imported again. Raises
        SandboxError where workers can't be confined, unless ``unconfined``."""
        self.limits = limits
        self.device = device
        self.layers = standing.layers(unconfined)
        self.starts = 0  # how often a server of our own was started
        self.cpu_seconds = 0.0  # of all workers that have been ended
        self._scratch = tempfile.TemporaryDirectory(prefix="attngrade-", ignore_cleanup_errors=True)
        self._process: subprocess.Popen[bytes] | None = None
        self._words: IO[bytes] | None = None  # what the server says on stderr, for our own errors
        if split is None:
            self._start()
        else:
            self._control, self._ready = split, True

    def launch(self) -> ForkedWorker:
        """See launch.Launcher.launch. A server that has died is started again, once."""
        for _ in range(2):
            try:
                return self._confined(ForkedWorker(self, *self._fork(control.FORK)))
            except (OSError, SandboxError) as error:
                trouble = f"{error}; {self._last_words()}"
                self._stop()
                self._start()
        raise SandboxError(f"the fork server does not serve: {trouble}")

    def _confined(self, worker: ForkedWorker) -> ForkedWorker:
        """A worker that has said that all its layers are up."""
        try:
            worker.visible_pid = clock.sender(
                worker.connection, len(control.READY), time.monotonic() + REPLY_SECONDS
            )
        except wire.WireError as error:
            raise SandboxError(f"a worker could not be confined ({worker.end()})") from error
        return worker

    def split(self) -> socket.socket:
        """The control socket of a second server, forked from this one. Raises SandboxError."""
        try:
            return self._fork(control.SPLIT)[1]
        except OSError as error:
            raise SandboxError(f"the fork server does not split: {error}; {self._last_words()}") from error

    def end(self, pid: int) -> str:
        """Kills and reaps a worker; adds up what it cost."""
        try:
            self._control.sendall(control.KILL + control.PID.pack(pid))
            status, user, system, _ = control.ENDED.unpack(self._receive(control.ENDED.size))
        except (OSError, SandboxError):
            self._stop()  # its children die with it
            with contextlib.suppress(SandboxError):  # the next launch will tell
                self._start()
            return SERVER_DIED
        self.cpu_seconds += user + system
        return describe_exit(os.waitstatus_to_exitcode(status))

    def close(self) -> None:
        """Ends the server and every worker; it is given a moment to reap them, so that their CPU time is counted."""
        self._control.close()
        if self._process:
            with contextlib.suppress(subprocess.TimeoutExpired):
                self._process.wait(REPLY_SECONDS)
        self._stop()
        discard(self._scratch)

    def _start(self) -> None:
        self.starts += 1
        ours, theirs = socket.socketpair()
        self._words = tempfile.TemporaryFile()  # noqa: SIM115 - open as long as the server lives
        setup = standing.prepared(self.limits, self.layers, self._scratch.name, self.device)
        self._control = ours
        with theirs:
            try:
                self._process = subprocess.Popen(
                    bare.command("server", setup, str(theirs.fileno())),
                    stdin=subprocess.DEVNULL,
                    stdout=subprocess.DEVNULL,
                    stderr=self._words,
                    pass_fds=(theirs.fileno(),),
                    env=bare.environment(),
                )
            except OSError as error:
                raise SandboxError(f"no fork server could be started: {error}") from error
        self._control.settimeout(START_SECONDS)
        self._ready = False

    def _fork(self, kind: bytes) -> tuple[int, socket.socket]:
        if not self._ready:
            self._receive(len(control.READY))
            self._control.settimeout(REPLY_SECONDS)
            self._ready = True
        ours, theirs = socket.socketpair()
        clock.ask_for_sender(ours)
        with theirs:
            socket.send_fds(self._control, [kind + control.PID.pack(0)], [theirs.fileno()])
        (pid,) = control.PID.unpack(self._receive(control.PID.size))
        if kind == control.SPLIT:
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
        self._control.close()  # a server that was forked from another ends by itself
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
