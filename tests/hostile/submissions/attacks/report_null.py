"""Uses null bytes and other control characters."""
CONTROLS = "".join(map(chr, [*range(32), *range(127, 160)]))


def padding_mask(lengths, max_len=None):
    raise ValueError(CONTROLS)


def causal_mask(length):
    return CONTROLS


def window_mask(length, radius):
    raise type("null", (Exception,), {"__module__": "\x01"})(b"\0\xff")
