"""Puts a script into every text that may reach a report."""


class Script(Exception):
    pass


Script.__name__ = Script.__qualname__ = "<script>alert(1)</script>"


def padding_mask(lengths, max_len=None):
    raise Script("</td><script>fetch('//evil')</script><img src=x onerror=alert(1)> {{ 7*7 }} ${7*7}")


def causal_mask(length):
    return Script()


def window_mask(length, radius):
    return "<script>alert(2)</script>"


strided_mask = type("<script>", (), {"__module__": "<script>"})
