"""Takes descriptors out of its parent with pidfd_getfd."""
import ctypes
import os

libc = ctypes.CDLL(None, use_errno=True)
pidfd = libc.syscall(434, os.getppid(), 0)
taken = [fd for number in range(64) if (fd := libc.syscall(438, pidfd, number, 0)) >= 0]
assert taken, "no descriptors"
raise RuntimeError("STO" "LEN " + repr(taken))
