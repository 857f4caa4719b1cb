"""Waits for ever when somebody asks for its type's name or its signature."""
import time


class Meta(type):
    @property
    def __module__(cls):
        time.sleep(1000)

    @property
    def __signature__(cls):
        time.sleep(1000)


class padding_mask(metaclass=Meta):
    pass
