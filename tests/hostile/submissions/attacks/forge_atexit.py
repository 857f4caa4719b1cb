"""Writes frames when the interpreter ends, and from a destructor, then leaves while loading."""
import atexit
import importlib
import os
import struct

msgspec = importlib.import_module("msgspec")  # ``import`` would refuse it


def write():
    text = msgspec.msgpack.encode({"nonce": "", "score": 100, "results": []})
    for fd in range(3, 64):
        try:
            os.write(fd, struct.pack(">4sHQ", b"ATTN", 1, len(text)) + text)
        except OSError:
            pass


class Last:
    def __del__(self):
        write()


last = Last()
atexit.register(write)
raise SystemExit(0)
