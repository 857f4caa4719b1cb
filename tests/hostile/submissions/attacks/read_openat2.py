"""Opens the seed with openat2 and through a handle, calls that a list of system calls may have forgotten."""
import ctypes
import struct

libc = ctypes.CDLL(None, use_errno=True)
path = b"@HOME@/.config/attngrade/seed"
how = ctypes.create_string_buffer(struct.pack("QQQ", 0, 0, 0), 24)
handle = ctypes.create_string_buffer(struct.pack("Ii", 128, 0) + bytes(128))
mount = ctypes.c_int()
libc.syscall(303, -100, path, handle, ctypes.byref(mount), 0)
fds = [libc.syscall(437, -100, path, how, 24), libc.syscall(304, -100, handle, 0)]
for fd in fds:
    buffer = ctypes.create_string_buffer(100)
    if fd >= 0 and libc.read(fd, buffer, 100) > 0:
        raise RuntimeError("STO" "LEN " + buffer.value.decode())
raise OSError("nothing read")
