"""Puts up the layers of the confinement before a worker reads a student's file. None can be undone.

If a requested layer fails, OSError (or LandlockError) is raised. The caller must not go on.
"""

from __future__ import annotations

import contextlib
import os
import signal
import sys

from autograder.sandbox import kernel, namespaces
from autograder.sandbox.config import Setup, devices

# Imported here, for the grader's files cannot be read after the root has changed.
if os.name == "posix":
    import resource
if sys.platform == "linux":
    from autograder.sandbox import landlock

CUDA_FILES, CUDA_THREADS = 1024, 256
FIRST_UID = 2_000_000_000  # of workers; no distribution assigns these


def die_with_parent() -> None:
    """The kernel kills this process when the process that started it ends (prctl(2), PR_SET_PDEATHSIG)."""
    if sys.platform == "linux":
        kernel.prctl(kernel.PR_SET_PDEATHSIG, signal.SIGKILL)


def adopt_orphans() -> None:
    """Become the parent of orphaned descendants, so that they can be ended (prctl(2), PR_SET_CHILD_SUBREAPER)."""
    if sys.platform == "linux":
        kernel.prctl(kernel.PR_SET_CHILD_SUBREAPER, 1)


def offer_memory() -> None:
    """Let a kernel that is short of memory end this process and its children first, never the grader (proc(5))."""
    with contextlib.suppress(OSError), open("/proc/self/oom_score_adj", "w") as file:
        file.write("1000")


def prepare(setup: Setup, itself: bool = False) -> int | None:
    """Return a descriptor of Landlock's rules, which all workers share; None without that layer.

    ``itself``: the rules are for this process alone, which may read its own /proc/self.
    """
    if "landlock" not in setup.layers:
        return None
    rules = landlock.ruleset(setup.view, devices(setup.device))
    if itself:
        landlock.allow_itself(rules)
    return rules


def change_root(setup: Setup) -> None:
    """Change to a root with nothing but the view of ``setup``. Raises OSError.

    CUDA's driver asks for facts about its own process, so it gets a /proc of these namespaces.
    """
    namespaces.change_root(setup.view, setup.scratch, devices(setup.device), proc=setup.device == "cuda")


def confine(setup: Setup, rules: int | None, mapped: tuple[int, int]) -> None:
    """Put all layers of ``setup`` on this process, with the ``rules`` from ``prepare``.

    A worker already maps torch. Its memory limits are the bytes ``mapped`` so far plus the student's share.
    """
    os.setsid()
    with contextlib.suppress(OSError):
        os.chdir("/" if "namespaces" in setup.layers else setup.scratch)
    limit_resources(setup, mapped)
    if rules is not None and setup.device == "cuda":
        os.close(rules)
        rules = prepare(setup, itself=True)  # not shared with other workers
    if "uid" in setup.layers:
        change_user()
    if sys.platform == "linux":
        die_with_parent()  # after the change of user, which resets it
        close_to_others()
    restrict(rules)
    if "seccomp" in setup.layers:
        kernel.filter_calls(setup.calls)  # last, for it forbids all of the above


def change_user() -> None:
    """Become a user who owns nothing and runs no other process."""
    uid = FIRST_UID + os.getpid()
    os.setgroups([])
    os.setresgid(uid, uid, uid)
    os.setresuid(uid, uid, uid)


def close_to_others() -> None:
    """Keep other processes out of this one's memory, and give up the way to more privileges."""
    kernel.prctl(kernel.PR_SET_DUMPABLE, 0)  # no ptrace and no /proc/PID/mem by siblings
    kernel.prctl(kernel.PR_SET_NO_NEW_PRIVS, 1)  # no setuid programs; Landlock and seccomp require it


def restrict(rules: int | None) -> None:
    """Hold this process to Landlock's rules, if there are any."""
    if rules is not None:
        landlock.restrict(rules)


def limit_resources(setup: Setup, mapped: tuple[int, int]) -> None:
    """Set the resource limits of this process. See ``confine`` for ``mapped``."""
    limits = setup.limits
    signal.signal(signal.SIGXFSZ, signal.SIG_IGN)  # writing a file then fails with EFBIG instead of ending the process
    ceilings = {
        resource.RLIMIT_CPU: limits.kernel_seconds,  # the grader ends a worker earlier
        resource.RLIMIT_FSIZE: 0,
        resource.RLIMIT_CORE: 0,
        resource.RLIMIT_NOFILE: limits.open_files,
        resource.RLIMIT_AS: mapped[0] + limits.memory_bytes,
        resource.RLIMIT_DATA: mapped[1] + limits.memory_bytes,
    }
    if setup.device == "cuda":  # its driver reserves addresses beyond all memory, starts threads, opens files
        ceilings |= {resource.RLIMIT_AS: resource.RLIM_INFINITY, resource.RLIMIT_NOFILE: CUDA_FILES}
        if "uid" in setup.layers:  # the limit counts all threads of a user
            ceilings[resource.RLIMIT_NPROC] = CUDA_THREADS
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
    """Return the bytes of this process's address space, and of its private writable part (proc(5), statm)."""
    fields = _memory_bytes()
    return (fields[0], fields[5]) if fields else (8 << 30, 1 << 30)


def resident_bytes() -> int:
    """Return the bytes of this process that lie in memory, 0 if unknown."""
    return (_memory_bytes() or (0, 0))[1]


def _memory_bytes() -> tuple[int, ...]:
    try:
        with open("/proc/self/statm") as file:
            return tuple(int(field) * os.sysconf("SC_PAGE_SIZE") for field in file.read().split())
    except OSError:
        return ()


def silence() -> None:
    """Redirect stdin, stdout and stderr to the null device."""
    null = os.open(os.devnull, os.O_RDWR)
    for standard in (0, 1, 2):
        os.dup2(null, standard)
    os.close(null)


def close_other_descriptors(keep: set[int]) -> None:
    """Close every descriptor above stderr except ``keep``."""
    start = 3
    for fd in sorted(keep):
        os.closerange(start, fd)
        start = fd + 1
    os.closerange(start, max(1 << 16, start))
