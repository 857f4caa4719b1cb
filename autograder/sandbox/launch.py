"""How a Python that may run student code is started: with what it needs, and nothing of the grader's."""

from __future__ import annotations

import contextlib
import importlib.util
import os
import signal
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from typing import Protocol

import msgspec

from autograder import wire
from autograder.sandbox import control
from autograder.sandbox.limits import Limits

PACKAGE = Path(__file__).resolve().parent.parent
NEEDED = ("torch", "numpy", "msgspec", "typing_extensions", "sympy")

# A Python without site-packages' .pth files, whose ``autograder`` holds only what is imported before the
# first student arrives; an editable installation would otherwise put ``reference`` on its path.
BOOTSTRAP = """
import importlib, json, site, sys, types
module, package, paths, *arguments = sys.argv[1:]
sys.path += json.loads(paths)
sys.modules["autograder"] = types.ModuleType("autograder")
sys.modules["autograder"].__path__ = [package]
sys.argv = [""]
site.setquit()
importlib.import_module("autograder.sandbox." + module).start(arguments)
"""

ENVIRONMENT = {
    "PATH": "/usr/bin:/bin",
    "HOME": "/nonexistent",
    "LANG": "C.UTF-8",
    "PYTHONHASHSEED": "0",  # the order of a student's sets is the same in every run
    "PYTHONDONTWRITEBYTECODE": "1",
    "OMP_NUM_THREADS": "1",  # one thread: a forked child of a process with two can hang
    "MKL_NUM_THREADS": "1",
    "OPENBLAS_NUM_THREADS": "1",
}
KEPT = (
    "SYSTEMROOT",
    "LD_LIBRARY_PATH",
    "DYLD_LIBRARY_PATH",
)  # without them Python can't start where they are set

START_SECONDS = 180.0  # importing torch from a cold, busy disk
SERVER_DIED = "killed with its server"  # how a worker ended that did not end by itself


class SandboxError(Exception):
    """The sandbox itself failed: never a student's fault."""


class Worker(Protocol):
    """A process that serves one submission."""

    stream: wire.Stream

    def end(self) -> str:
        """Kills the worker and all it started; says how it ended where it had ended by itself."""


class Launcher(Protocol):
    """Starts workers."""

    limits: Limits

    def launch(self) -> Worker:
        """A new worker. Raises SandboxError."""

    def close(self) -> None:
        """Ends everything that was started."""


def command(module: str, *arguments: str) -> list[str]:
    """The command line that runs ``autograder.sandbox.<module>`` in a bare Python."""
    origins = (importlib.util.find_spec(name) for name in NEEDED)
    files = [Path(spec.origin) for spec in origins if spec and spec.origin]
    roots = {str(file.parent.parent if file.name == "__init__.py" else file.parent) for file in files}
    paths = msgspec.json.encode(sorted(roots)).decode()
    return [sys.executable, "-s", "-S", "-P", "-c", BOOTSTRAP, module, str(PACKAGE), paths, *arguments]


def environment() -> dict[str, str]:
    """The variables that such a Python gets, whatever the grader's own are."""
    return ENVIRONMENT | {name: os.environ[name] for name in KEPT if name in os.environ}


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

    def __init__(self, limits: Limits) -> None:
        self.limits = limits

    def launch(self) -> SingleWorker:
        """See Launcher.launch."""
        try:
            scratch = tempfile.TemporaryDirectory(prefix="attngrade-", ignore_cleanup_errors=True)
            arguments = msgspec.json.encode(self.limits).decode(), scratch.name
            process = subprocess.Popen(
                command("single", *arguments),
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                stderr=subprocess.DEVNULL,
                env=environment(),
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
