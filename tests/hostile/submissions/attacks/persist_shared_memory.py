"""Leaves System V shared memory, a semaphore and a queue, which no process owns."""
import ctypes

libc = ctypes.CDLL(None, use_errno=True)
for name, args in (("shmget", (@KEY@, 4096)), ("semget", (@KEY@, 1)), ("msgget", (@KEY@,))):
    getattr(libc, name)(*args, 0o1666)
