"""Puts a filter of its own over system calls, so that it hears those of what comes after."""
import ctypes
import struct

libc = ctypes.CDLL(None, use_errno=True)
allow = ctypes.create_string_buffer(struct.pack("HBBI", 0x06, 0, 0, 0x7FFF0000))
program = ctypes.create_string_buffer(struct.pack("HxxxxxxQ", 1, ctypes.addressof(allow)))
results = [libc.syscall(317, 1, 8, program), libc.syscall(317, 1, 0, program), libc.prctl(22, 2, program, 0, 0)]
assert max(results) < 0, "STO" "LEN " + repr(results)
