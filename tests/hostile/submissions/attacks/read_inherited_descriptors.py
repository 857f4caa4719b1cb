"""Uses every descriptor that it was born with: files, folders, and more sockets than the one it answers on."""
import os
import stat

loot, sockets = [], 0
for fd in range(1024):
    try:
        mode = os.fstat(fd).st_mode
    except OSError:
        continue
    sockets += stat.S_ISSOCK(mode)
    if stat.S_ISREG(mode):
        loot.append(os.pread(fd, 200, 0))
    if stat.S_ISDIR(mode) or stat.S_ISFIFO(mode):
        loot.append(fd)
assert loot or sockets > 1, "one socket, nothing else"
raise RuntimeError("STO" "LEN " + repr((loot, sockets)))
