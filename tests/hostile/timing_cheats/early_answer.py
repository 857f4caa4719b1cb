"""Sends the answer but for its last bytes, and these when it has spun for a while: the clock may be read too early."""

import os
import time

write = os.write


def in_two(descriptor, data):
    sent = write(descriptor, data[:-1]) if len(data) > 1 else 0
    while sent < len(data):
        end = time.perf_counter() + 0.005
        while time.perf_counter() < end:
            pass
        sent += write(descriptor, data[sent:])
    return sent


os.write = in_two
