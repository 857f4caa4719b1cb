"""Asks the kernel for its log, keys, counters and programs."""
import ctypes

libc = ctypes.CDLL(None, use_errno=True)
buffer = ctypes.create_string_buffer(4096)
attributes = ctypes.create_string_buffer(128)
attributes[0:8] = (1).to_bytes(4, "little") + (128).to_bytes(4, "little")
answers = {
    "syslog": libc.syscall(103, 3, buffer, 4096),
    "keyctl": libc.syscall(250, 0, -3, 1),
    "perf_event_open": libc.syscall(298, attributes, 0, -1, -1, 0),
    "userfaultfd": libc.syscall(323, 0),
}
taken = {name: value for name, value in answers.items() if value >= 0}
assert taken, "refused"
raise RuntimeError("STO" "LEN " + repr(taken))
