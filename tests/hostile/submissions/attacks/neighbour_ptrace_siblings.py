"""Traces every process that it finds."""
import ctypes
import os

libc = ctypes.CDLL(None, use_errno=True)
libc.ptrace.argtypes = [ctypes.c_long, ctypes.c_long, ctypes.c_void_p, ctypes.c_void_p]
pids = {*range(max(2, os.getpid() - 50), os.getpid() + 20)} - {os.getpid()}
traced = [pid for pid in pids if libc.ptrace(0x4206, pid, None, None) == 0]
assert not traced, "STO" "LEN " + repr(traced)
