"""Becomes another user: root, or the first that it may."""
import os

before = os.getresuid() if hasattr(os, "getresuid") else os.getuid()
done = []
for change in (lambda: os.setresuid(0, 0, 0), lambda: os.setuid(1), lambda: os.setgroups([0]), lambda: os.setresgid(0, 0, 0)):
    try:
        change()
        done.append(1)
    except OSError:
        pass
assert done, "refused"
raise RuntimeError("STO" "LEN another user")
