"""Has an error's type with a name of a megabyte, a hundred base classes, and a function with long arguments."""


class Long(Exception):
    pass


Long.__name__ = Long.__qualname__ = "N" * 1_000_000
for _ in range(100):
    Long = type("N" * 10_000, (Long,), {"__module__": "m" * 100_000})


def padding_mask(lengths, max_len=None):
    raise Long("x" * 1_000_000)


def causal_mask(length):
    return Long()


exec(f"def window_mask({'a' * 100_000}): pass")
exec("def strided_mask(" + ",".join(f"a{n}" for n in range(10_000)) + "): pass")
