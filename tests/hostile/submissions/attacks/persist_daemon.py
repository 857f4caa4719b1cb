"""Leaves a daemon behind, by forking twice and a session of its own."""
import os
import time

if os.fork() == 0:
    os.setsid()
    if os.fork() == 0:
        open("/proc/self/comm", "w").write("@COMM@")
        for _ in range(120):
            time.sleep(1)
    os._exit(0)
