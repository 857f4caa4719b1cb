"""Namespaces for a fork server: it sees only its own processes, network, shared memory and files.

namespaces(7), user_namespaces(7), pid_namespaces(7), mount_namespaces(7)
"""

from __future__ import annotations

import os
import signal
from collections.abc import Iterable

from autograder.sandbox import kernel

ALL = kernel.CLONE_NEWNS | kernel.CLONE_NEWPID | kernel.CLONE_NEWNET | kernel.CLONE_NEWIPC | kernel.CLONE_NEWUTS
# Flags that a remount by another user must keep: statvfs(3) -> mount(2)
KEPT_FLAGS = {1: 0x1, 2: 0x2, 4: 0x4, 8: 0x8, 1024: 0x400, 2048: 0x800, 4096: 0x200000}
ROOT_BYTES = 1 << 20  # for names and folders; nobody writes files


def enter() -> None:
    """Go on as the first process in new namespaces. The calling process only waits for it. Raises OSError."""
    uid, gid = os.getuid(), os.getgid()
    try:
        kernel.unshare(ALL)
    except PermissionError:  # without privileges this needs a user namespace, too
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
    """End in the same way as that process. Holds no descriptor meanwhile, so nobody waits for one."""
    os.closerange(0, 1 << 16)
    status = os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1])
    if status < 0:
        signal.signal(-status, signal.SIG_DFL) if -status != signal.SIGKILL else None
        os.kill(os.getpid(), -status)
    os._exit(status)


def change_root(view: Iterable[str], scratch: str, devices: Iterable[str] = (), proc: bool = False) -> None:
    """Change to a root with nothing but ``view``, read-only, the null device and ``devices``. Raises OSError.

    ``proc``: with proc(5) of these namespaces.
    """
    kernel.mount("none", "/", "", kernel.MS_REC | kernel.MS_PRIVATE)
    options = f"size={ROOT_BYTES},mode=755"
    kernel.mount("tmpfs", scratch, "tmpfs", kernel.MS_NOSUID | kernel.MS_NODEV, options)
    if proc:
        os.mkdir(scratch + "/proc")
        kernel.mount("proc", scratch + "/proc", "proc", kernel.MS_NOSUID | kernel.MS_NODEV)
    for path in (*view, os.devnull, *devices):
        _show(path, scratch)
    closed = kernel.MS_REMOUNT | kernel.MS_RDONLY | kernel.MS_NOSUID | kernel.MS_NODEV
    kernel.mount("none", scratch, "", closed, options)
    kernel.pivot_root(scratch)


def _show(path: str, root: str) -> None:
    """Mount a path of the old root at the same place in the new one. Follows links."""
    place = root + path
    if os.path.lexists(place):  # inside a mounted folder
        return
    os.makedirs(os.path.dirname(place), 0o755, exist_ok=True)
    if os.path.isdir(path):
        os.mkdir(place, 0o755)
    else:
        os.close(os.open(place, os.O_CREAT | os.O_WRONLY, 0o644))
    kernel.mount(path, place, "", kernel.MS_BIND | kernel.MS_REC)
    flags = sum(flag for kept, flag in KEPT_FLAGS.items() if os.statvfs(place).f_flag & kept)
    if not path.startswith("/dev/"):
        flags |= kernel.MS_RDONLY
    kernel.mount("none", place, "", kernel.MS_BIND | kernel.MS_REMOUNT | kernel.MS_NOSUID | flags)
