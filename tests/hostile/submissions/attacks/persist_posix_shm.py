"""Leaves POSIX shared memory and a message queue."""
import ctypes
import multiprocessing.shared_memory as shared

try:
    shared.SharedMemory("@MARK@", create=True, size=4096)
except OSError as error:
    print(error)
libc = ctypes.CDLL(None, use_errno=True)
libc.syscall(240, b"@MARK@", 0o102, 0o666, None)
