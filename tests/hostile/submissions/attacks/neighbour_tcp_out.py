"""Calls somebody outside, by name and by number."""
import ctypes
import socket

libc = ctypes.CDLL(None, use_errno=True)
fd = libc.socket(2, 1 | 0o4000, 0)
address = bytes([2, 0, 0, 9, 192, 0, 2, 1]) + bytes(8)  # a number of the documentation's, which nobody has
code = libc.connect(fd, address, 16) if fd >= 0 else -1
if fd < 0 or code < 0 and ctypes.get_errno() not in (115, 101, 111, 113):
    raise OSError(ctypes.get_errno(), "refused")
raise RuntimeError("STO" "LEN a socket that may connect")
