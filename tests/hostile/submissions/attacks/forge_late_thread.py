"""Has a thread write frames whenever the grader reads."""
import os
import stat
import threading
import time


def write():
    for _ in range(100):
        for fd in range(3, 64):
            try:
                if stat.S_ISSOCK(os.fstat(fd).st_mode):
                    os.write(fd, b"ATTN" + bytes(10))
            except OSError:
                pass
        time.sleep(0.01)


threading.Thread(target=write, daemon=True).start()
