"""An output folder belongs to one grader at a time."""

from __future__ import annotations

import contextlib
import errno
import os
import socket
from collections.abc import Iterator
from pathlib import Path

with contextlib.suppress(ImportError):
    import fcntl  # grade needs it and is offered where it is; other commands need no lock

NAME = ".lock"
HELD = (errno.EACCES, errno.EAGAIN)


class LockError(Exception):
    """Another process has the folder, or it can't be locked."""


class Lock:
    """Held from when it is made until ``close``, or until this process has ended, however that comes about: the kernel
    lets go of it (fcntl(2), record locks), so that there are no stale ones. The file itself stays: who removed it could
    remove another's."""

    def __init__(self, folder: Path) -> None:
        """Raises OSError where nothing can be written to ``folder``, LockError where it is in use."""
        self.descriptor = os.open(folder / NAME, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o600)
        try:
            fcntl.lockf(self.descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
            os.ftruncate(self.descriptor, 0)
            os.pwrite(self.descriptor, f"process {os.getpid()} on {socket.gethostname()}".encode(), 0)
        except OSError as error:
            told = _in_use(folder, self.descriptor)
            self.close()
            if error.errno in HELD:
                raise LockError(f"{told}, or choose another --out folder") from None
            if error.errno == errno.ENOLCK:
                raise LockError(
                    f"{folder} lies where files can't be locked; choose an --out folder on another file system"
                ) from None
            raise

    def close(self) -> None:
        """Lets go of it."""
        os.close(self.descriptor)


@contextlib.contextmanager
def undisturbed(folder: Path) -> Iterator[None]:
    """While nobody grades into ``folder``, to which nothing is written either. Raises LockError where somebody does."""
    try:
        descriptor = os.open(folder / NAME, os.O_RDONLY | os.O_CLOEXEC)
    except OSError:  # nobody has graded there, or it is an earlier version's
        yield
        return
    try:
        fcntl.lockf(descriptor, fcntl.LOCK_SH | fcntl.LOCK_NB)
        yield
    except OSError as error:
        if error.errno not in HELD:
            raise
        raise LockError(_in_use(folder, descriptor)) from None
    finally:
        os.close(descriptor)


def _in_use(folder: Path, descriptor: int) -> str:
    held = os.pread(descriptor, 200, 0).decode("utf-8", "replace")
    who = "".join(c for c in held if c.isprintable()) or "another process"
    return f"{folder} is in use by another attngrade ({who}); wait until it has ended"
