"""Uses marks that turn the direction of text round, hide it or stack it."""
MARKS = "\u202e\u2066\u2069\u200f\u200b\ufeff\u061c" + "e" + "\u0301" * 300 + "\U000e0041\ufff9"


class Turned(Exception):
    pass


Turned.__name__ = MARKS


def padding_mask(lengths, max_len=None):
    raise Turned(MARKS)


def causal_mask(length):
    return MARKS


def window_mask(length, **אב):
    return None
