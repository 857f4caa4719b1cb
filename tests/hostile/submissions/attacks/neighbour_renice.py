"""Slows the server down: its priority, its cores, its scheduling."""
import ctypes
import os

done = []
for change in (
    lambda: os.setpriority(os.PRIO_PROCESS, os.getppid(), 19),
    lambda: os.sched_setaffinity(os.getppid(), {min(os.sched_getaffinity(0))}),
    lambda: os.sched_setscheduler(os.getppid(), os.SCHED_IDLE, os.sched_param(0)),
):
    try:
        change()
        done.append(1)
    except OSError:
        pass
assert done, "refused"
raise RuntimeError("STO" "LEN the server is slowed down")
