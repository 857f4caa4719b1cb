"""Connects to a service on this machine, and offers one."""
import socket

listening = socket.socket()
listening.bind(("127.0.0.1", 0))
listening.listen(1)
socket.create_connection(listening.getsockname(), timeout=1)
raise RuntimeError("STO" "LEN a connection")
