"""Looks for capabilities, and gives itself more."""
import ctypes
import struct

libc = ctypes.CDLL(None, use_errno=True)
header = ctypes.create_string_buffer(struct.pack("Ii", 0x20080522, 0))
data = ctypes.create_string_buffer(24)
assert libc.capget(header, data) == 0, "refused"
effective = struct.unpack("6I", data.raw)[0]
assert effective, "none"
raise RuntimeError("STO" "LEN capabilities " + hex(effective))
