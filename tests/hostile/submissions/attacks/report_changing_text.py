"""Says something else each time that it is asked for its text, and lies about its line."""
texts = iter(["short"] + ["<script>" * 1000] * 1000)


class Changing(Exception):
    __str__ = lambda self: next(texts)


class Text(str):
    def __getitem__(self, key):
        return Text("\x1b[2J" * 1000)

    __len__ = lambda self: 3


class Odd(Exception):
    __str__ = lambda self: Text("\x1b[2J")


def padding_mask(lengths, max_len=None):
    raise Changing


def causal_mask(length):
    raise Odd


def window_mask(length, radius):
    raise SyntaxError("x", (Text("masking.py"), 10**30, None, Text("\x1b[2J")))
