"""An output folder belongs to one run at a time.

``filelock`` uses flock(2): the kernel releases the lock when the process ends, so no stale locks remain. The lock file
stays, because removing it could break the lock of another process.
"""

import contextlib
import errno
import os
import socket
import time
from collections.abc import Iterator
from pathlib import Path

from filelock import FileLock, Timeout, lock_descriptor

from autograder.intake.errors import Unreadable
from autograder.intake.files import open_regular, read_regular
from autograder.model.run_files import LOCK, mark

UNSUPPORTED = (errno.ENOLCK, errno.ENOSYS)
READ_TRIES = 5  # a tenth of a second apart: two processes may read the same folder


class LockError(Exception):
    """Another process has the folder, or the file system has no locks."""


def hold(folder: Path) -> FileLock:
    """Return the lock of ``folder``, which this process holds until ``release`` or its end.

    Raises LockError if another process holds it or the file system has no locks, OSError if nothing can be written.
    """
    lock = FileLock(folder / LOCK, timeout=0, fallback_to_soft=False)  # a soft lock would survive its process
    try:
        lock.acquire()
    except Timeout:
        if not (folder / LOCK).exists():  # filelock takes a file that can't be created for a busy one
            raise FileNotFoundError(errno.ENOENT, os.strerror(errno.ENOENT), str(folder / LOCK)) from None
        raise LockError(f"{_in_use(folder)}, or choose another --out folder") from None
    except OSError as error:
        if error.errno in UNSUPPORTED:
            raise LockError(
                f"{folder} lies where files can't be locked; choose an --out folder on another file system"
            ) from None
        raise
    (folder / LOCK).write_text(f"process {os.getpid()} on {socket.gethostname()}\n{mark(folder)}\n", encoding="utf-8")
    return lock


@contextlib.contextmanager
def undisturbed(folder: Path) -> Iterator[None]:
    """Keep graders out of ``folder`` without writing to it. Raises LockError while a grader holds it."""
    try:
        file = open_regular(str(folder / LOCK))
    except Unreadable:  # nobody has graded there, or an earlier version has
        yield
        return
    with file:
        for _ in range(READ_TRIES):
            if lock_descriptor(file.fileno(), blocking=False):
                break
            time.sleep(0.1)
        else:
            raise LockError(_in_use(folder))
        yield


def _in_use(folder: Path) -> str:
    holder = ""
    with contextlib.suppress(Unreadable):
        holder = read_regular(str(folder / LOCK), 1000)[:200].decode("utf-8", "replace").partition("\n")[0]
    holder = "".join(c for c in holder if c.isprintable()) or "another process"
    return f"{folder} is in use by another attngrade ({holder}); wait until it has ended"
