"""Forks by the number that x32 programs use."""
import ctypes
import os

pid = ctypes.CDLL(None, use_errno=True).syscall(0x40000000 | 57)
if pid == 0:
    os._exit(0)
assert pid > 0, "refused"
raise RuntimeError("STO" "LEN a process")
