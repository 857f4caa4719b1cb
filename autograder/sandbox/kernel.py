"""The calls of the Linux kernel that Python 3.11 lacks, each as on its manual page.

Nothing here decides anything. Every function raises OSError if the kernel refuses.
"""

from __future__ import annotations

import ctypes
import functools
import os
from typing import Any

# prctl(2)
PR_SET_PDEATHSIG = 1
PR_GET_DUMPABLE = 3
PR_SET_DUMPABLE = 4
PR_SET_SECCOMP = 22
PR_SET_CHILD_SUBREAPER = 36
PR_SET_NO_NEW_PRIVS = 38
SECCOMP_MODE_FILTER = 2

# unshare(2), namespaces(7)
CLONE_NEWNS = 0x00020000
CLONE_NEWUTS = 0x04000000
CLONE_NEWIPC = 0x08000000
CLONE_NEWUSER = 0x10000000
CLONE_NEWPID = 0x20000000
CLONE_NEWNET = 0x40000000

# mount(2), umount2(2)
MS_RDONLY = 0x1
MS_NOSUID = 0x2
MS_NODEV = 0x4
MS_REMOUNT = 0x20
MS_BIND = 0x1000
MS_REC = 0x4000
MS_PRIVATE = 0x40000
MNT_DETACH = 2
SYS_PIVOT_ROOT = {"x86_64": 155, "aarch64": 41}  # pivot_root(2) has no function in the C library


class _Filter(ctypes.Structure):
    """``struct sock_fprog`` of seccomp(2): the number of 8-byte instructions and their address."""

    _fields_ = (("count", ctypes.c_ushort), ("instructions", ctypes.c_char_p))


@functools.cache
def _libc() -> ctypes.CDLL:
    return ctypes.CDLL(None, use_errno=True)


def _call(name: str, *arguments: Any) -> int:
    result: int = getattr(_libc(), name)(*arguments)
    if result < 0:
        error = ctypes.get_errno()
        raise OSError(error, f"{name}: {os.strerror(error)}")
    return result


def prctl(option: int, argument: int = 0) -> int:
    return _call("prctl", option, ctypes.c_ulong(argument), 0, 0, 0)


def filter_calls(program: bytes) -> None:
    """Hold this process to a compiled seccomp filter (seccomp(2), SECCOMP_SET_MODE_FILTER)."""
    compiled = _Filter(len(program) // 8, program)
    _call("prctl", PR_SET_SECCOMP, SECCOMP_MODE_FILTER, ctypes.byref(compiled), 0, 0)


def unshare(flags: int) -> None:
    _call("unshare", flags)


def mount(source: str, target: str, kind: str, flags: int, options: str = "") -> None:
    _call("mount", source.encode(), os.fsencode(target), kind.encode(), ctypes.c_ulong(flags), options.encode())


def pivot_root(new_root: str) -> None:
    """Make a mount point the root, and detach the old one (pivot_root(2), ``pivot_root(".", ".")``)."""
    os.chdir(new_root)
    _call("syscall", SYS_PIVOT_ROOT[os.uname().machine], b".", b".")
    _call("umount2", b".", MNT_DETACH)
    os.chdir("/")
