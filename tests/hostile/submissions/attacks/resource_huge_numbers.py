"""Returns a number of a million digits, and asks for its text."""
import sys

sys.set_int_max_str_digits(0)


def padding_mask(lengths, max_len=None):
    return 1 << 10_000_000


def causal_mask(length):
    raise ValueError(1 << 2_000_000)
