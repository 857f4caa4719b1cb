"""The system calls that a worker may make once it serves: everything else is answered with EPERM.

The list is what honest submissions were seen to make, and what the C library and Python may fall back on for the
same purposes. No call on it starts a process or a thread, opens a socket, sends a signal, or changes a file.
"""

from __future__ import annotations

import errno
import functools
import tempfile

TCGETS = 0x5401  # Python asks of every file that it opens whether it is a terminal (ioctl_tty(2))

ALLOWED = (
    # answering the grader
    "read", "write", "close",
    # memory
    "brk", "mmap", "munmap", "mremap", "mprotect", "madvise", "futex",
    # importing a module that nobody has needed before: files are Landlock's to refuse
    "openat", "newfstatat", "fstat", "stat", "lstat", "lseek", "pread64", "getdents64", "readlink", "readlinkat",
    "getcwd",
    # clocks, dice, and what a process may know of itself
    "clock_gettime", "clock_getres", "gettimeofday", "time", "times", "getrusage", "clock_nanosleep", "nanosleep",
    "getrandom", "getpid", "gettid", "getuid", "geteuid", "getgid", "getegid", "uname", "sysinfo",
    "sched_getaffinity", "sched_yield",
    # a time limit for a notebook's cell, and the end
    "rt_sigaction", "rt_sigprocmask", "rt_sigreturn", "sigaltstack", "setitimer", "restart_syscall",
    "exit", "exit_group",
)  # fmt: skip


# The driver's library starts threads of its own, talks to its devices and waits for them.
CUDA = (
    "ioctl", "clone", "clone3", "set_robust_list", "rseq", "prctl", "sched_getparam", "sched_getscheduler",
    "sched_setaffinity", "poll", "ppoll", "eventfd2", "pipe2", "fcntl", "dup", "access", "faccessat", "faccessat2",
    "statfs", "fstatfs", "mlock", "mincore", "get_mempolicy", "set_mempolicy", "mbind", "membarrier", "getpriority",
    "memfd_create", "ftruncate",
)  # fmt: skip


@functools.cache
def compiled(deadly: bool = False, device: str = "cpu") -> bytes:
    """The list as the kernel takes it; ``deadly``: any other call ends the process, so that tests can see one.
    Raises OSError or RuntimeError where libseccomp is missing."""
    import pyseccomp  # it looks for a C compiler when it is imported: never in a worker

    rules = pyseccomp.SyscallFilter(pyseccomp.KILL_PROCESS if deadly else pyseccomp.ERRNO(errno.EPERM))
    for name in (*ALLOWED, *(CUDA if device == "cuda" else ())):
        rules.add_rule(pyseccomp.ALLOW, name)
    if device != "cuda":
        rules.add_rule(pyseccomp.ALLOW, "ioctl", pyseccomp.Arg(1, pyseccomp.EQ, TCGETS))
    with tempfile.TemporaryFile() as file:
        rules.export_bpf(file)
        file.seek(0)
        return file.read()
