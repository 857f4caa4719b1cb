"""Asks for signals when files of others change (fcntl F_NOTIFY), and takes a lease on one."""
import fcntl
import os
import signal

import torch

F_NOTIFY, F_SETLEASE = 1026, 1024
signal.signal(signal.SIGIO, signal.SIG_IGN)  # what others read meanwhile would end this process
fd = os.open(os.path.dirname(torch.__file__), os.O_RDONLY)
got = []
for which, command, value in (("notify", F_NOTIFY, 0x8000003F), ("lease", F_SETLEASE, 0)):
    try:
        fcntl.fcntl(fd if which == "notify" else os.open(torch.__file__, os.O_RDONLY), command, value)
        got.append(which)
    except OSError:
        pass
assert got, "refused"
raise RuntimeError("STO" "LEN " + repr(got))
