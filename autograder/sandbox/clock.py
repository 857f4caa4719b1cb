"""The CPU clock of another process: the one clock that nothing inside that process can turn.

A worker may live in a namespace where it has another number than here, so the kernel is asked who it is: it tells,
with the first byte that the worker writes (unix(7), SCM_CREDENTIALS), before any student's code is there to run.
"""

from __future__ import annotations

import os
import socket
import struct
import sys
import time

from autograder import wire

CREDENTIALS = struct.Struct("3i")  # process, user, group
SCHEDULER = 2  # CPUCLOCK_SCHED of a whole process, include/linux/posix-timers_types.h
PATIENCE = 0.05  # seconds; after its answer an honest worker rests within a thousandth of that


def ask_for_sender(connection: socket.socket) -> None:
    """From now on the kernel says who writes to the other end."""
    if sys.platform == "linux":
        connection.setsockopt(socket.SOL_SOCKET, socket.SO_PASSCRED, 1)


def sender(connection: socket.socket, count: int, deadline: float) -> int:
    """Reads ``count`` bytes and returns the number of the process that wrote them, 0 where the kernel does not
    say. Raises wire.Closed or wire.Late (``deadline`` in seconds of time.monotonic)."""
    if sys.platform != "linux":
        wire.Stream(connection.fileno(), connection.fileno()).read(count, deadline)
        return 0
    wire.wait(connection.fileno(), False, deadline)
    try:
        data, told, _, _ = connection.recvmsg(count, socket.CMSG_SPACE(CREDENTIALS.size))
        connection.setsockopt(socket.SOL_SOCKET, socket.SO_PASSCRED, 0)
    except OSError as error:
        raise wire.Closed(str(error)) from None
    if len(data) < count:
        raise wire.Closed("the other side closed the connection")
    for level, kind, text in told:
        if (level, kind) == (socket.SOL_SOCKET, socket.SCM_CREDENTIALS):
            return int(CREDENTIALS.unpack(text[: CREDENTIALS.size])[0])
    return 0


def cpu_seconds(pid: int) -> float:
    """User and system time of all threads of a process so far. Of one that runs the kernel tells what it had used at
    its last tick, milliseconds ago; so this waits a little until it rests. Raises OSError where the kernel does not
    tell."""
    if sys.platform != "linux" or pid <= 0:
        raise OSError("the CPU time of another process can be read on Linux only")
    patience = time.perf_counter() + PATIENCE
    while _runs(pid) and time.perf_counter() < patience:
        os.sched_yield()
    return time.clock_gettime((~pid << 3) | SCHEDULER)  # clock_getcpuclockid(3)


def waited_seconds(pid: int) -> float:
    """For how long a process was ready to run and had no processor, so far (Documentation/scheduler/sched-stats.rst,
    /proc/PID/schedstat); 0 where the kernel does not tell."""
    try:
        with open(f"/proc/{pid}/schedstat", "rb") as file:
            return int(file.read().split()[1]) / 1e9
    except (OSError, ValueError, IndexError):
        return 0.0


def _runs(pid: int) -> bool:
    """Whether a process is on a processor, or waits for one (proc(5), stat)."""
    try:
        with open(f"/proc/{pid}/stat", "rb") as file:
            return file.read().rpartition(b") ")[2][:1] == b"R"
    except OSError:  # it is gone, which its clock tells
        return False
