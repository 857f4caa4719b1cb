"""What a worker gives up before it sees a student's file, layer by layer. Nothing here can be undone.

Where a layer that was asked for can't be had, OSError (or LandlockError) is raised: the caller must not go on.
"""

from __future__ import annotations

import contextlib
import os
import signal
import sys

from autograder.sandbox import kernel
from autograder.sandbox.setup import Setup, devices

# Imported before the root changes: what is ours can't be seen after that.
if os.name == "posix":
    import resource
if sys.platform == "linux":
    from autograder.sandbox import landlock

CUDA_FILES = 1024
FIRST_UID = 2_000_000_000  # of workers; nobody's, by the conventions of all distributions


def die_with_parent() -> None:
    """The kernel kills this process when the process that started it ends (prctl(2), PR_SET_PDEATHSIG)."""
    if sys.platform == "linux":
        kernel.prctl(kernel.PR_SET_PDEATHSIG, signal.SIGKILL)


def adopt_orphans() -> None:
    if sys.platform == "linux":
        kernel.prctl(kernel.PR_SET_CHILD_SUBREAPER, 1)


def prepare(setup: Setup) -> int | None:
    """What is made once for all workers: Landlock's rules, in a descriptor."""
    if "landlock" not in setup.layers:
        return None
    return landlock.ruleset(setup.view, devices(setup.device))


def confine(setup: Setup, rules: int | None, mapped: tuple[int, int]) -> None:
    """Puts all layers of ``setup`` on this process; ``rules`` as ``prepare`` made them. As a worker already maps
    torch, the limits are what it has (``mapped``) and the student's share on top."""
    os.setsid()
    with contextlib.suppress(OSError):
        os.chdir("/" if "namespaces" in setup.layers else setup.scratch)
    limit_resources(setup, mapped)
    if "uid" in setup.layers:
        change_user()
    if sys.platform == "linux":
        die_with_parent()  # after the user, whose change takes it back
        close_to_others()
    restrict(rules)
    if "seccomp" in setup.layers:
        kernel.filter_calls(setup.calls)  # the last: nothing of the above could be done after it


def change_user() -> None:
    """Becomes a user whom nothing belongs to, and no other worker is."""
    uid = FIRST_UID + os.getpid()
    os.setgroups([])
    os.setresgid(uid, uid, uid)
    os.setresuid(uid, uid, uid)


def close_to_others() -> None:
    kernel.prctl(kernel.PR_SET_DUMPABLE, 0)  # no ptrace and no /proc/PID/mem by siblings
    kernel.prctl(kernel.PR_SET_NO_NEW_PRIVS, 1)  # no setuid programs; Landlock and seccomp ask for it


def restrict(rules: int | None) -> None:
    """Holds this process to Landlock's rules, where there are any."""
    if rules is not None:
        landlock.restrict(rules)


def limit_resources(setup: Setup, mapped: tuple[int, int]) -> None:
    """See confine."""
    limits = setup.limits
    signal.signal(signal.SIGXFSZ, signal.SIG_IGN)  # writing a file then fails with EFBIG, and kills nobody
    ceilings = {
        resource.RLIMIT_CPU: int(limits.submission_seconds) + 5,  # the grader's clock comes first
        resource.RLIMIT_FSIZE: 0,
        resource.RLIMIT_CORE: 0,
        resource.RLIMIT_NOFILE: limits.open_files,
        resource.RLIMIT_AS: mapped[0] + limits.memory_bytes,
        resource.RLIMIT_DATA: mapped[1] + limits.memory_bytes,
    }
    if setup.device == "cuda":  # its driver reserves addresses beyond all memory, starts threads, opens files
        ceilings |= {resource.RLIMIT_AS: resource.RLIM_INFINITY, resource.RLIMIT_NOFILE: CUDA_FILES}
    elif "seccomp" in setup.layers:
        ceilings[resource.RLIMIT_NPROC] = 0
        ceilings[resource.RLIMIT_MEMLOCK] = 0
        ceilings[resource.RLIMIT_MSGQUEUE] = 0
    for which, ceiling in ceilings.items():
        hard = resource.getrlimit(which)[1]
        value = ceiling if hard == resource.RLIM_INFINITY else hard if ceiling < 0 else min(ceiling, hard)
        try:
            resource.setrlimit(which, (value, value))
        except (ValueError, OSError):
            if "limits" in setup.layers:  # macOS refuses some of them
                raise


def mapped_bytes() -> tuple[int, int]:
    """All of this process's address space, and its private writable part (proc(5), statm)."""
    try:
        with open("/proc/self/statm") as file:
            fields = file.read().split()
    except OSError:
        return 8 << 30, 1 << 30
    page = os.sysconf("SC_PAGE_SIZE")
    return int(fields[0]) * page, int(fields[5]) * page


def silence() -> None:
    """Puts the null device in the place of stdin, stdout and stderr."""
    null = os.open(os.devnull, os.O_RDWR)
    for standard in (0, 1, 2):
        os.dup2(null, standard)
    os.close(null)


def close_other_descriptors(keep: set[int]) -> None:
    """Closes everything above stderr but ``keep``."""
    start = 3
    for fd in sorted(keep):
        os.closerange(start, fd)
        start = fd + 1
    os.closerange(start, max(1 << 16, start))
