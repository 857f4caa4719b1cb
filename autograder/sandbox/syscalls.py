"""The system calls that a serving worker may make. All others fail with EPERM.

The list holds the calls that honest submissions make, and those that the C library and Python may use instead. None of
them starts a process or a thread, opens a socket, sends a signal, or changes a file.
"""

from __future__ import annotations

import errno
import functools
import socket
import tempfile

TCGETS = 0x5401  # Python checks whether each opened file is a terminal (ioctl_tty(2))
MAP_SHARED = (
    1  # memory that a process can fill and let go of, so that the kernel does not count it as its own (mmap(2))
)
CLONE_THREAD = 0x10000  # of the same process (clone(2))

# by purpose
PURPOSES = {
    "answering the grader": "read write close",
    "memory; see also mmap below": "brk munmap mremap mprotect madvise futex",
    "importing a module for the first time; Landlock decides about files": """
        openat newfstatat fstat stat lstat lseek pread64 getdents64 readlink readlinkat getcwd
    """,
    "clocks, random numbers, and facts about the process itself": """
        clock_gettime clock_getres gettimeofday time times getrusage clock_nanosleep nanosleep getrandom getpid
        gettid getuid geteuid getgid getegid uname sysinfo sched_getaffinity sched_yield
    """,
    "a time limit for a notebook's cell, and the end": """
        rt_sigaction rt_sigprocmask rt_sigreturn sigaltstack setitimer restart_syscall exit exit_group
    """,
}
ALLOWED = " ".join(PURPOSES.values()).split()

# The CUDA driver's library starts threads of its own, talks to its devices and waits for them.
DRIVER_CALLS = (
    "ioctl mmap set_robust_list rseq prctl sched_getparam sched_getscheduler sched_setaffinity poll ppoll "
    "eventfd2 pipe2 fcntl dup access faccessat faccessat2 statfs fstatfs mlock mincore get_mempolicy "
    "set_mempolicy mbind membarrier getpriority memfd_create ftruncate sched_get_priority_min sched_get_priority_max "
    "bind listen"
)
CUDA = DRIVER_CALLS.split()
# It also looks for helpers that are not there, and takes only that for an answer.
ABSENT = ("connect", "unlink", "symlink", "mkdir")


@functools.cache
def compiled(deadly: bool = False, device: str = "cpu") -> bytes:
    """Return the filter as the kernel takes it. ``deadly``: any other call ends the process, for tests.

    Raises OSError or RuntimeError if libseccomp is missing.
    """
    import pyseccomp  # its import looks for a C compiler: never in a worker

    rules = pyseccomp.SyscallFilter(pyseccomp.KILL_PROCESS if deadly else pyseccomp.ERRNO(errno.EPERM))
    for name in (*ALLOWED, *(CUDA if device == "cuda" else ())):
        rules.add_rule(pyseccomp.ALLOW, name)
    if device == "cuda":
        for name in ABSENT:
            rules.add_rule(pyseccomp.ERRNO(errno.ENOENT), name)
        # Threads, but no processes. Flags of clone3(2) can't be seen here; without it, the C library takes clone(2).
        rules.add_rule(pyseccomp.ERRNO(errno.ENOSYS), "clone3")
        rules.add_rule(pyseccomp.ALLOW, "clone", pyseccomp.Arg(0, pyseccomp.MASKED_EQ, CLONE_THREAD, CLONE_THREAD))
        # It listens at a socket for processes that share its memory. Nobody here may connect.
        rules.add_rule(pyseccomp.ALLOW, "socket", pyseccomp.Arg(0, pyseccomp.EQ, socket.AF_UNIX))
        rules.add_rule(pyseccomp.ALLOW, "setsockopt", pyseccomp.Arg(2, pyseccomp.EQ, socket.SO_PASSCRED))
        rules.add_rule(pyseccomp.ALLOW, "prlimit64", pyseccomp.Arg(2, pyseccomp.EQ, 0))  # to read a limit
    else:
        rules.add_rule(pyseccomp.ALLOW, "ioctl", pyseccomp.Arg(1, pyseccomp.EQ, TCGETS))
        rules.add_rule(pyseccomp.ALLOW, "mmap", pyseccomp.Arg(3, pyseccomp.MASKED_EQ, MAP_SHARED, 0))
    with tempfile.TemporaryFile() as file:
        rules.export_bpf(file)
        file.seek(0)
        return file.read()
