"""Sleeps in destructors and where the interpreter ends."""
import atexit
import time


class Sleeper:
    def __del__(self):
        time.sleep(1000)


atexit.register(time.sleep, 1000)
keep = Sleeper()


def padding_mask(lengths, max_len=None):
    Sleeper()
