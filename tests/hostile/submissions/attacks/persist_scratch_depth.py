"""Leaves folders a thousand deep that nobody may enter where it starts."""
import os

for _ in range(1000):
    os.mkdir("d-@TOKEN@")
    os.chdir("d-@TOKEN@")
os.chmod(".", 0)
