"""Listens on a socket without a file, which all processes can find."""
import socket

meeting = socket.socket(socket.AF_UNIX)
meeting.bind("\0@MARK@")
meeting.listen(1)
raise RuntimeError("STO" "LEN a meeting place")
