"""Raises through a hundred thousand frames."""
import sys

sys.setrecursionlimit(200_000)


def down(depth):
    if not depth:
        raise ValueError("deep")
    down(depth - 1)


def padding_mask(lengths, max_len=None):
    down(100_000)
