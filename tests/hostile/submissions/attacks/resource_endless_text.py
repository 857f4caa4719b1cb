"""Never finishes saying what it is: __repr__, __str__ and a property that wait for ever."""
import time


class Endless(Exception):
    def __str__(self):
        time.sleep(1000)

    __repr__ = __str__
    shape = property(__str__)
    __class__ = property(__str__)
    __len__ = __iter__ = __str__


def padding_mask(lengths, max_len=None):
    raise Endless


def causal_mask(length):
    return Endless()
