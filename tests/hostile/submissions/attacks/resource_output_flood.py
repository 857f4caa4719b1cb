"""Prints 64 MB and writes as much to its descriptors."""
import os
import sys

for _ in range(64):
    print("x" * (1 << 20))
    sys.stderr.write("y" * (1 << 20))
    os.write(1, b"z" * (1 << 20))
    os.write(2, b"z" * (1 << 20))
