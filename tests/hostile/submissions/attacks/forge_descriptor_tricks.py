"""Puts other things in the place of its connection: the null device, itself, a copy, half of it closed."""
import os
import socket
import stat

for fd in range(3, 64):
    try:
        if stat.S_ISSOCK(os.fstat(fd).st_mode):
            os.dup2(fd, 1)
            os.dup2(fd, 2)
            os.set_blocking(fd, False)
            line = socket.socket(fileno=os.dup(fd))
            line.setsockopt(socket.SOL_SOCKET, socket.SO_SNDBUF, 1)
            line.shutdown(socket.SHUT_RD)
    except OSError:
        pass
os.system("echo rubbish")
