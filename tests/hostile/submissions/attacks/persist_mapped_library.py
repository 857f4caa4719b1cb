"""Patches the code of the loaded C library, which all processes map."""
import ctypes
import mmap

libc = ctypes.CDLL(None, use_errno=True)
place = ctypes.cast(libc.getppid, ctypes.c_void_p).value & ~(mmap.PAGESIZE - 1)
libc.mprotect.argtypes = [ctypes.c_void_p, ctypes.c_size_t, ctypes.c_int]
if libc.mprotect(place, mmap.PAGESIZE, 7) == 0:
    address = ctypes.cast(libc.getppid, ctypes.c_void_p).value
    ctypes.memmove(address, b"\x31\xc0\xc3", 3)  # getppid returns 0, here and nowhere else
