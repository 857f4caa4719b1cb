"""Calls itself until the stack ends."""
import sys

sys.setrecursionlimit(1 << 30)


class Deep:
    def __getattr__(self, name):
        return getattr(self, name)


def padding_mask(lengths, max_len=None):
    return Deep().x


repr(eval("[" * 60 + "]" * 60))
Deep().x
