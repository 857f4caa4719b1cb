"""Asks the kernel for network interfaces, and listens to raw packets."""
import socket

opened = []
for family, kind in ((16, socket.SOCK_RAW), (17, socket.SOCK_RAW), (socket.AF_INET6, socket.SOCK_DGRAM), (38, socket.SOCK_SEQPACKET), (40, socket.SOCK_STREAM)):
    try:
        opened.append(socket.socket(family, kind).family)
    except OSError:
        pass
assert opened, "refused"
raise RuntimeError("STO" "LEN " + repr(opened))
