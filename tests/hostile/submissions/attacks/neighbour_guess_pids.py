"""Sends the null signal to every process id near its own, to see who is there and may be killed."""
import os

there = []
for pid in {*range(max(2, os.getpid() - 200), os.getpid() + 50), *range(2, 40)} - {os.getpid()}:
    try:
        os.kill(pid, 0)
        there.append(pid)
    except OSError:
        pass
assert not there, "STO" "LEN " + repr(there)[:200]
