"""Reads the memory of the processes above it through /proc."""
import os
import re

pid = os.getppid()
lines = open(f"/proc/{pid}/maps").read().splitlines()
with open(f"/proc/{pid}/mem", "rb", 0) as memory:
    for line in lines:
        first, last = (int(number, 16) for number in re.match(r"(\w+)-(\w+) rw", line + " ").groups()) if " rw" in line else (0, 0)
        if last - first and "heap" in line:
            memory.seek(first)
            raise RuntimeError("STO" "LEN " + repr(memory.read(64)))
raise OSError("no heap")
