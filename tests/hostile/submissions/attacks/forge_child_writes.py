"""Leaves a process that goes on writing to the connection."""
import os
import time

if os.fork() == 0:
    for _ in range(100):
        for fd in range(3, 64):
            try:
                os.write(fd, b"ATTN\0\1" + bytes(8))
            except OSError:
                pass
        time.sleep(0.05)
    os._exit(0)
