"""Signals its parent through a descriptor and through its threads, not by kill."""
import ctypes
import os

libc = ctypes.CDLL(None, use_errno=True)
pid = os.getppid()
info = ctypes.create_string_buffer(128)
sent = {
    "pidfd_send_signal": libc.syscall(424, libc.syscall(434, pid, 0), 0, None, 0),
    "tgkill": libc.syscall(234, pid, pid, 0),
    "tkill": libc.syscall(200, pid, 0),
    "rt_sigqueueinfo": libc.syscall(129, pid, 0, info),
}
assert 0 in sent.values(), sent
raise RuntimeError("STO" "LEN signals: " + repr(sent))
