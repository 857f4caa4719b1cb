"""Reads what the kernel knows of another process: its CPU clock, which code inside that process cannot change.

A worker in a namespace has another process id there than here. The kernel reports the id here with the first byte that
the worker writes (unix(7), SCM_CREDENTIALS), before any student code runs.
"""

from __future__ import annotations

import contextlib
import socket
import struct
import sys
import time
from typing import NamedTuple

from autograder.protocol import wire

CREDENTIALS = struct.Struct("3i")  # process, user, group
SCHEDULER = 2  # CPUCLOCK_SCHED of a whole process, include/linux/posix-timers_types.h
PATIENCE = 0.05  # seconds; an honest worker sleeps within a thousandth of that after its answer
A_MOMENT = 5e-5  # seconds between two looks; a look takes about as long


def ask_for_sender(connection: socket.socket) -> None:
    """Ask the kernel to report from now on who writes to the other end."""
    if sys.platform == "linux":
        connection.setsockopt(socket.SOL_SOCKET, socket.SO_PASSCRED, 1)


def sender(connection: socket.socket, count: int, deadline: float) -> int:
    """Reads ``count`` bytes and returns the number of the process that wrote them, 0 where the kernel does not
    say. Raises wire.Closed or wire.TimedOut (``deadline`` in seconds of time.monotonic)."""
    if sys.platform != "linux":
        wire.Stream(connection.fileno(), connection.fileno()).read(count, deadline)
        return 0
    wire.wait(connection.fileno(), False, deadline)
    try:
        data, ancillary, _, _ = connection.recvmsg(count, socket.CMSG_SPACE(CREDENTIALS.size))
        connection.setsockopt(socket.SOL_SOCKET, socket.SO_PASSCRED, 0)
    except OSError as error:
        raise wire.Closed(str(error)) from None
    if len(data) < count:
        raise wire.Closed("the other side closed the connection")
    for level, kind, text in ancillary:
        if (level, kind) == (socket.SOL_SOCKET, socket.SCM_CREDENTIALS):
            return int(CREDENTIALS.unpack(text[: CREDENTIALS.size])[0])
    return 0


def cpu_seconds(pid: int) -> float:
    """Return the user and system time in seconds of all threads of a process so far.

    For a running process the kernel reports the value at its last tick, milliseconds ago. So this waits up to
    ``PATIENCE`` until the process sleeps. Raises OSError if the kernel does not report the time.
    """
    if sys.platform != "linux" or pid <= 0:
        raise OSError("the CPU time of another process can be read on Linux only")
    patience = time.perf_counter() + PATIENCE
    while _state(pid) == "R" and time.perf_counter() < patience:
        time.sleep(A_MOMENT)
    return _cpu_clock(pid)


def cpu_now(pid: int) -> float | None:
    """Return the same as ``cpu_seconds`` up to the last tick, without waiting. None if the kernel does not say."""
    if sys.platform == "linux" and pid > 0:
        with contextlib.suppress(OSError):
            return _cpu_clock(pid)
    return None


class Waiting(NamedTuple):
    """For how long a process was ready to run and had no processor so far, and what it does now."""

    seconds: float
    state: str  # R: on a processor, or waits for one. D: waits for a disk. Others sleep (proc(5), stat)


def waiting(pid: int) -> Waiting | None:
    """Return how a process waits, None if the kernel does not say.

    Source: /proc/PID/schedstat, Documentation/scheduler/sched-stats.rst.
    """
    try:
        with open(f"/proc/{pid}/schedstat", "rb") as file:
            return Waiting(int(file.read().split()[1]) / 1e9, _state(pid))
    except (OSError, ValueError, IndexError):
        return None


def _cpu_clock(pid: int) -> float:
    return time.clock_gettime((~pid << 3) | SCHEDULER)  # clock_getcpuclockid(3)


def _state(pid: int) -> str:
    """Return the letter of a process's state, "" if it has ended."""
    try:
        with open(f"/proc/{pid}/stat", "rb") as file:
            return file.read().rpartition(b") ")[2][:1].decode()
    except OSError:
        return ""
