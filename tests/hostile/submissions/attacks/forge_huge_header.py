"""Announces answers of 2^60 bytes, of another version, and with another beginning."""
import os
import stat
import struct

FRAMES = [
    struct.pack(">4sHQ", b"ATTN", 1, 1 << 60),
    struct.pack(">4sHQ", b"ATTN", 9, 3) + b"xxx",
    struct.pack(">4sHQ", b"HTTP", 1, 3) + b"xxx",
    struct.pack(">4sHQ", b"ATTN", 1, 0),
]


def send(which):
    for fd in range(3, 64):
        try:
            if stat.S_ISSOCK(os.fstat(fd).st_mode):
                os.write(fd, FRAMES[which])
        except OSError:
            pass
    os._exit(0)


def padding_mask(lengths, max_len=None):
    send(0)


def causal_mask(length):
    send(1)


def window_mask(length, radius):
    send(2)


def strided_mask(length, stride):
    send(3)
