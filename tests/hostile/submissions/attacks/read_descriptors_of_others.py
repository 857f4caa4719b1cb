"""Opens what other processes have open."""
import glob
import os

taken = []
for path in glob.glob("/proc/[0-9]*/fd/*"):
    try:
        if path.split("/")[2] != str(os.getpid()) and os.readlink(path).startswith("/") and "/dev/" not in os.readlink(path):
            taken.append(os.readlink(path))
    except OSError:
        pass
assert taken, "no descriptors"
raise RuntimeError("STO" "LEN " + repr(taken)[:300])
