"""Fills files in memory."""
import os

fd = os.memfd_create("hog")
written = 0
while written < 64 << 20:
    written += os.write(fd, bytes(1 << 20))
raise RuntimeError("STO" "LEN memory: " + str(written))
