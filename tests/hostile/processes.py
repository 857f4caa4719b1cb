"""Which processes there are below this one, and how to be the one that they all come back to."""

from __future__ import annotations

import contextlib
import ctypes
import os
import signal
import time
from collections.abc import Callable

PR_SET_CHILD_SUBREAPER = 36
PATIENCE = 20.0  # seconds, on a busy machine, for what the kernel does in its own time


def adopt() -> None:
    """Orphans below this process become its own children."""
    ctypes.CDLL(None).prctl(PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0)


def below(top: int | None = None) -> dict[int, str]:
    """All living processes below one, with their names."""
    parents, names = {}, {}
    for entry in os.listdir("/proc"):
        with contextlib.suppress(OSError, ValueError):
            with open(f"/proc/{int(entry)}/stat") as file:
                name, _, rest = file.read().partition("(")[2].rpartition(")")
            state, parent, *_ = rest.split()
            if state not in "ZX":
                parents[int(entry)], names[int(entry)] = int(parent), name
    found, todo = {}, [top or os.getpid()]
    while todo:
        above = todo.pop()
        new = [pid for pid, parent in parents.items() if parent == above]
        found |= {pid: names[pid] for pid in new}
        todo += new
    return found


def settled(most: int) -> dict[int, str]:
    """What is below this process: at once where there are no more than ``most``, else after some patience."""
    wait_until(lambda: len(below()) <= most)
    return below()


def wait_until(true: Callable[[], bool]) -> None:
    """Looks again and again, for a bounded time."""
    end = time.monotonic() + PATIENCE
    while not true() and time.monotonic() < end:
        time.sleep(0.02)


def end_all() -> None:
    """Ends everything below this process, and reaps it."""
    while left := below():
        for pid in left:
            with contextlib.suppress(ProcessLookupError):
                os.kill(pid, signal.SIGKILL)
        with contextlib.suppress(ChildProcessError):
            while True:
                os.waitpid(-1, 0)
