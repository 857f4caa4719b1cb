"""Read one regular file with a limit on its size, and nothing else."""

from __future__ import annotations

import io
import os
import stat

from autograder.intake.errors import Unreadable

MB = 1_000_000

# Without O_NONBLOCK, opening a FIFO waits for a writer forever. Not every system has every flag.
_FLAGS = os.O_RDONLY | sum(
    getattr(os, name, 0) for name in ("O_NONBLOCK", "O_NOFOLLOW", "O_CLOEXEC", "O_NOCTTY", "O_BINARY")
)


def reason(error: OSError) -> str:
    """Return the operating system's message without the path."""
    return (error.strerror or type(error).__name__).lower()


def open_regular(path: str) -> io.FileIO:
    """Open a regular file. Raises ``Unreadable`` for links, FIFOs, devices, folders, forbidden and missing files."""
    try:
        handle = os.open(path, _FLAGS)
    except OSError as error:
        raise Unreadable(f"cannot be opened: {reason(error)}") from error
    if not stat.S_ISREG(os.fstat(handle).st_mode):
        os.close(handle)
        raise Unreadable("is not a regular file")
    return io.FileIO(handle)


def read_regular(path: str, limit: int) -> bytes:
    """Return the bytes of a regular file. Raises ``Unreadable`` if there are more than ``limit``."""
    with io.BufferedReader(open_regular(path)) as file:
        try:
            return capped(file.read(limit + 1), limit)
        except OSError as error:
            raise Unreadable(f"cannot be read: {reason(error)}") from error


def capped(data: bytes, limit: int) -> bytes:
    """Return ``data``. Raises ``Unreadable`` if it is longer than ``limit``."""
    if len(data) > limit:
        raise Unreadable(f"is larger than {limit / MB:g} MB")
    return data
