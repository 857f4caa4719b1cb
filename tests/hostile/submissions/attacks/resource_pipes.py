"""Fills pipes and pairs of sockets with bytes, which count as nobody's memory."""
import os
import socket

held, filled = [], 0
try:
    while filled < 64 << 20:
        ends = socket.socketpair()
        ends[0].setblocking(False)
        held.append(ends)
        try:
            while True:
                filled += ends[0].send(bytes(1 << 16))
        except BlockingIOError:
            pass
except OSError:
    pass
assert filled < 64 << 20, "STO" "LEN kernel memory: " + str(filled)
