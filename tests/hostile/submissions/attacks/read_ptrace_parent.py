"""Traces its parent."""
import ctypes
import os

libc = ctypes.CDLL(None, use_errno=True)
libc.ptrace.argtypes = [ctypes.c_long, ctypes.c_long, ctypes.c_void_p, ctypes.c_void_p]
if libc.ptrace(0x4206, os.getppid(), None, None) < 0:  # PTRACE_SEIZE: does not stop it
    raise OSError(ctypes.get_errno(), "refused")
raise RuntimeError("STO" "LEN the parent is traced")
