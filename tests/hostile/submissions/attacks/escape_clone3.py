"""Starts a process and a thread by clone3 and clone."""
import ctypes
import os
import struct

libc = ctypes.CDLL(None, use_errno=True)
wanted = ctypes.create_string_buffer(struct.pack("8Q", 0, 0, 0, 0, 17, 0, 0, 0))
pid = libc.syscall(435, wanted, 64)
if pid < 0:
    pid = libc.syscall(56, 17, 0, 0, 0, 0)
if pid == 0:
    os._exit(0)
assert pid > 0, "refused"
raise RuntimeError("STO" "LEN a process")
