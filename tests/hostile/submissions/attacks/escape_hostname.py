"""Renames the machine (to the name that it has)."""
import socket

socket.sethostname(socket.gethostname())
raise RuntimeError("STO" "LEN the name of the machine")
