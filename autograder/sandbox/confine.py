"""What a worker gives up before it sees a student's file.

Resource limits hold on every POSIX system; the calls of ``prctl(2)`` only on Linux. Whatever a
platform lacks is left out here and told by ``layers``.
"""

from __future__ import annotations

import contextlib
import ctypes
import os
import signal
import sys

from autograder.sandbox.limits import Limits

PR_SET_PDEATHSIG = 1
PR_SET_DUMPABLE = 4
PR_SET_CHILD_SUBREAPER = 36
PR_SET_NO_NEW_PRIVS = 38


def die_with_parent() -> None:
    """The kernel kills this process when the process that started it ends (prctl(2), PR_SET_PDEATHSIG)."""
    _prctl(PR_SET_PDEATHSIG, signal.SIGKILL)


def adopt_orphans() -> None:
    _prctl(PR_SET_CHILD_SUBREAPER, 1)


def confine(limits: Limits, scratch: str) -> None:
    """Applies the limits to this process and to whatever it starts. Can't be undone."""
    os.setsid()
    with contextlib.suppress(OSError):
        os.chdir(scratch)
    die_with_parent()
    _prctl(PR_SET_DUMPABLE, 0)  # no ptrace and no /proc/PID/mem by siblings
    _prctl(PR_SET_NO_NEW_PRIVS, 1)  # no setuid programs
    _limit_resources(limits)


def _limit_resources(limits: Limits) -> None:
    import resource

    signal.signal(signal.SIGXFSZ, signal.SIG_IGN)  # writing a file then fails with EFBIG, and kills nobody
    seconds = int(limits.submission_seconds) + 5  # the grader's clock comes first
    ceilings = {
        resource.RLIMIT_CPU: seconds,
        resource.RLIMIT_FSIZE: 0,
        resource.RLIMIT_CORE: 0,
        resource.RLIMIT_NOFILE: limits.open_files,
    }
    # As this process already maps torch, the limits are what it has and the student's share on top.
    mapped, data = _mapped_bytes()
    ceilings[resource.RLIMIT_AS] = mapped + limits.memory_bytes
    ceilings[resource.RLIMIT_DATA] = data + limits.memory_bytes
    for which, ceiling in ceilings.items():
        hard = resource.getrlimit(which)[1]
        value = ceiling if hard == resource.RLIM_INFINITY else min(ceiling, hard)
        with contextlib.suppress(ValueError, OSError):  # macOS refuses some of them
            resource.setrlimit(which, (value, value))


def _mapped_bytes() -> tuple[int, int]:
    """All of this process's address space, and its private writable part (proc(5), statm)."""
    try:
        with open("/proc/self/statm") as file:
            fields = file.read().split()
    except OSError:
        return 8 << 30, 1 << 30
    page = os.sysconf("SC_PAGE_SIZE")
    return int(fields[0]) * page, int(fields[5]) * page


def _prctl(option: int, argument: int) -> None:
    if sys.platform == "linux":
        ctypes.CDLL(None, use_errno=True).prctl(option, argument, 0, 0, 0)


def silence() -> None:
    """Puts the null device in the place of stdin, stdout and stderr."""
    null = os.open(os.devnull, os.O_RDWR)
    for standard in (0, 1, 2):
        os.dup2(null, standard)
    os.close(null)


def close_other_descriptors(keep: set[int]) -> None:
    """Closes everything above stderr but ``keep``."""
    highest = 256
    with contextlib.suppress(OSError):
        highest = max((int(name) for name in os.listdir("/proc/self/fd")), default=highest) + 1
    start = 3
    for fd in sorted(keep):
        os.closerange(start, fd)
        start = fd + 1
    os.closerange(start, highest)
