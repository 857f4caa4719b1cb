"""Sleeps and computes by turns in each call, below both limits, so that all together take very long."""
import time

_padding_mask, _masked_softmax = padding_mask, masked_softmax


def restless():
    for _ in range(2):
        time.sleep(0.25)
        end = time.process_time() + 0.2
        while time.process_time() < end:
            pass


def padding_mask(lengths, max_len=None):
    restless()
    return _padding_mask(lengths, max_len)


def masked_softmax(scores, mask, dim=-1):
    restless()
    return _masked_softmax(scores, mask, dim)
