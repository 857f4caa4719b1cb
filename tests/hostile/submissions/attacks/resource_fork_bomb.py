"""Starts fifty processes that stay for a while."""
import os
import time

started = 0
for _ in range(50):
    pid = os.fork()
    if pid == 0:
        time.sleep(20)
        os._exit(0)
    started += 1
raise RuntimeError("STO" "LEN processes: " + str(started))
