"""Sends a datagram."""
import socket

with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as sender:
    sender.sendto(b"answers", ("127.0.0.1", 9))
raise RuntimeError("STO" "LEN a datagram was sent")
