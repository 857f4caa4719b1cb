"""Raises errors with texts of 50 MB and chains of 20,000 causes."""


def padding_mask(lengths, max_len=None):
    raise ValueError("x" * 50_000_000)


def causal_mask(length):
    error = None
    for _ in range(20_000):
        new = ValueError("more")
        new.__cause__ = new.__context__ = error
        error = new
    raise error


def window_mask(length, radius):
    raise ExceptionGroup("many", [ValueError(number) for number in range(50_000)])
