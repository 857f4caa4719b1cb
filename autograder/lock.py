"""An output folder belongs to one grader at a time."""

from __future__ import annotations

import contextlib
import errno
import os
import socket
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
            held = os.pread(self.descriptor, 200, 0).decode("utf-8", "replace")
            self.close()
            if error.errno in HELD:
                who = "".join(c for c in held if c.isprintable()) or "another process"
                raise LockError(
                    f"{folder} is in use by another attngrade ({who}); wait until it has ended, or choose another "
                    "--out folder"
                ) from None
            if error.errno == errno.ENOLCK:
                raise LockError(
                    f"{folder} lies where files can't be locked; choose an --out folder on another file system"
                ) from None
            raise

    def close(self) -> None:
        """Lets go of it."""
        os.close(self.descriptor)
