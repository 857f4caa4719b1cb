"""Namespaces of its own for a fork server: no processes, network, shared memory or files but what is its own.

namespaces(7), user_namespaces(7), pid_namespaces(7), mount_namespaces(7)
"""

from __future__ import annotations

import os
import signal
from collections.abc import Iterable

from autograder.sandbox import kernel

ALL = (
    kernel.CLONE_NEWNS | kernel.CLONE_NEWPID | kernel.CLONE_NEWNET | kernel.CLONE_NEWIPC | kernel.CLONE_NEWUTS
)
# What a mount must keep when it is mounted again by somebody who does not own it: statvfs(3) -> mount(2)
KEPT_FLAGS = {1: 0x1, 2: 0x2, 4: 0x4, 8: 0x8, 1024: 0x400, 2048: 0x800, 4096: 0x200000}
ROOT_BYTES = 1 << 20  # of names and folders; no file is ever written


def enter() -> None:
    """Moves this process into namespaces of its own and goes on as the first process there, with nothing
    in the one that was called but waiting for it. Raises OSError."""
    uid, gid = os.getuid(), os.getgid()
    try:
        kernel.unshare(ALL)
    except PermissionError:  # somebody without privileges may where a user namespace comes with it
        kernel.unshare(ALL | kernel.CLONE_NEWUSER)
        _map("setgroups", "deny")
        _map("uid_map", f"{uid} {uid} 1")
        _map("gid_map", f"{gid} {gid} 1")
    pid = os.fork()
    if pid:
        _wait(pid)
    kernel.prctl(kernel.PR_SET_PDEATHSIG, signal.SIGKILL)


def _map(name: str, text: str) -> None:
    with open(f"/proc/self/{name}", "w") as file:
        file.write(text)


def _wait(pid: int) -> None:
    """Ends as that process ends. Holds no descriptor that somebody could wait for in the meantime."""
    os.closerange(0, 1 << 16)
    status = os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1])
    if status < 0:
        signal.signal(-status, signal.SIG_DFL) if -status != signal.SIGKILL else None
        os.kill(os.getpid(), -status)
    os._exit(status)


def change_root(view: Iterable[str], scratch: str, devices: Iterable[str] = ()) -> None:
    """Makes a root that holds ``view``, read-only, the null device and ``devices``, and nothing else. Raises
    OSError."""
    kernel.mount("none", "/", "", kernel.MS_REC | kernel.MS_PRIVATE)
    options = f"size={ROOT_BYTES},mode=755"
    kernel.mount("tmpfs", scratch, "tmpfs", kernel.MS_NOSUID | kernel.MS_NODEV, options)
    for path in (*view, os.devnull, *devices):
        _show(path, scratch)
    closed = kernel.MS_REMOUNT | kernel.MS_RDONLY | kernel.MS_NOSUID | kernel.MS_NODEV
    kernel.mount("none", scratch, "", closed, options)
    kernel.pivot_root(scratch)


def _show(path: str, root: str) -> None:
    """A path of the old root at the same place in the new one. Links are followed: what they lead to is shown."""
    place = root + path
    if os.path.lexists(place):  # within something that is shown already
        return
    os.makedirs(os.path.dirname(place), 0o755, exist_ok=True)
    if os.path.isdir(path):
        os.mkdir(place, 0o755)
    else:
        os.close(os.open(place, os.O_CREAT | os.O_WRONLY, 0o644))
    kernel.mount(path, place, "", kernel.MS_BIND | kernel.MS_REC)
    flags = sum(flag for told, flag in KEPT_FLAGS.items() if os.statvfs(place).f_flag & told)
    if not path.startswith("/dev/"):
        flags |= kernel.MS_RDONLY
    kernel.mount("none", place, "", kernel.MS_BIND | kernel.MS_REMOUNT | kernel.MS_NOSUID | flags)
