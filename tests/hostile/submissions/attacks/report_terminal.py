"""Sends sequences that clear, recolour, rename and answer a terminal."""

CODES = "\x1b[2J\x1b[1;31mpassed\x1b]0;owned\x07\x1b]52;c;ZXZpbA==\x07\x9b6n\b\b\b\x7f\x1bP"


class Loud(Exception):
    pass


Loud.__name__ = CODES


def padding_mask(lengths, max_len=None):
    raise Loud(CODES)


def causal_mask(length):
    return CODES


print(CODES)
