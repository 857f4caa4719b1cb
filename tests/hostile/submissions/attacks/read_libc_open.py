"""Opens the seed by the C library's raw system calls."""
import ctypes

libc = ctypes.CDLL(None, use_errno=True)
buffer = ctypes.create_string_buffer(100)
for number, args in ((2, (b"@HOME@/.config/attngrade/seed", 0)), (257, (-100, b"@HOME@/.config/attngrade/seed", 0))):
    fd = libc.syscall(number, *args)
    if fd >= 0 and libc.read(fd, buffer, 100) > 0:
        raise RuntimeError("STO" "LEN " + buffer.value.decode())
raise OSError("nothing read")
