"""Takes memory that is not counted as its own: anonymous shared maps and files in memory."""
import ctypes
import mmap
import os

hog = mmap.mmap(-1, 1 << 30)
raise RuntimeError("STO" "LEN memory: " + str(len(hog)))
