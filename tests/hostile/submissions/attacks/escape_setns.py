"""Enters the namespaces of another process."""
import ctypes
import os

libc = ctypes.CDLL(None, use_errno=True)
for pid in (os.getppid(), 1):
    pidfd = libc.syscall(434, pid, 0)
    if pidfd >= 0 and libc.setns(pidfd, 0x00020000) == 0:
        raise RuntimeError("STO" "LEN the namespaces of " + str(pid))
raise OSError("refused")
