"""Writes into the memory of the fork server, at the places that it shares with it."""
import os

with open(f"/proc/{os.getppid()}/mem", "r+b", 0) as memory:
    memory.seek(id(os.fork))
    memory.write(bytes(64))
raise RuntimeError("STO" "LEN write access to the server")
