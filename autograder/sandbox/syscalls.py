"""The system calls that a serving worker may make. All others fail, with EPERM but for a few of ``CUDA``'s.

The list holds the calls that honest submissions make, and those that the C library and Python may use instead. None of
them starts a process or a thread, opens a socket, sends a signal, or changes a file. A worker for CUDA may make more of
them: it starts threads and listens at a socket.
"""

from __future__ import annotations

import errno
import functools
import tempfile

TCGETS = 0x5401  # Python checks whether each opened file is a terminal (ioctl_tty(2))
MAP_SHARED = (
    1  # memory that a process can fill and let go of, so that the kernel does not count it as its own (mmap(2))
)

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
    "mmap set_robust_list rseq sched_getparam sched_getscheduler sched_setaffinity poll ppoll eventfd2 pipe2 dup "
    "access faccessat faccessat2 statfs fstatfs mlock mincore get_mempolicy set_mempolicy mbind membarrier "
    "getpriority memfd_create ftruncate sched_get_priority_min sched_get_priority_max bind listen"
)
CUDA = DRIVER_CALLS.split()
# It also looks for helpers that aren't there, and goes on only if told so.
ABSENT = ("connect", "unlink", "unlinkat", "symlink", "symlinkat", "mkdir", "mkdirat")
CLONE_THREAD, CLONE_NEW = 0x10000, 0x7E020000  # of the same process; in new namespaces (clone(2))
CLONE_NEW_TIME, PR_SET_NAME, O_ASYNC = 0x80, 15, 0x2000
F_DUPFD_CLOEXEC, F_ADD_SEALS, F_GET_SEALS = 1030, 1033, 1034
ALL, ADDRESS = 0xFFFFFFFF, 0xFFFFFFFF_FFFFFFFF  # the bits of an argument that is a number, and of an address
# Calls that are allowed with some arguments: (number, mask, value) of each that counts. Threads but no processes; a
# socket to listen at, to which nobody here may connect; the driver's own controls; nothing that sends a signal.
CUDA_WITH = (
    ("clone", [(0, CLONE_THREAD | CLONE_NEW | CLONE_NEW_TIME, CLONE_THREAD)]),
    ("socket", [(0, ALL, 1), (1, 0xF, 5)]),  # AF_UNIX, SOCK_SEQPACKET
    ("setsockopt", [(1, ALL, 1), (2, ALL, 16)]),  # SOL_SOCKET, SO_PASSCRED
    ("prlimit64", [(2, ADDRESS, 0)]),  # to read a limit
    ("prctl", [(0, ALL, PR_SET_NAME)]),
    ("ioctl", [(1, ALL, TCGETS)]),
    *(("ioctl", [(1, 0xFF00, kind << 8)]) for kind in (0, ord("F"))),  # of /dev/nvidia-uvm, and of the other devices
    *(("fcntl", [(1, ALL, command)]) for command in (0, 1, 2, 3, F_DUPFD_CLOEXEC, F_ADD_SEALS, F_GET_SEALS)),
    ("fcntl", [(1, ALL, 4), (2, O_ASYNC, 0)]),  # F_SETFL
)


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
        # The flags of clone3(2) can't be seen here. Without it, the C library takes clone(2).
        rules.add_rule(pyseccomp.ERRNO(errno.ENOSYS), "clone3")
        for name, arguments in CUDA_WITH:
            rules.add_rule(
                pyseccomp.ALLOW, name, *(pyseccomp.Arg(n, pyseccomp.MASKED_EQ, *one) for n, *one in arguments)
            )
    else:
        rules.add_rule(pyseccomp.ALLOW, "ioctl", pyseccomp.Arg(1, pyseccomp.EQ, TCGETS))
        rules.add_rule(pyseccomp.ALLOW, "mmap", pyseccomp.Arg(3, pyseccomp.MASKED_EQ, MAP_SHARED, 0))
    with tempfile.TemporaryFile() as file:
        rules.export_bpf(file)
        file.seek(0)
        return file.read()
