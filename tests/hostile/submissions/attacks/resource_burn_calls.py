"""Computes nearly as long as each call may, so that all together take very long."""
import time

_padding_mask, _masked_softmax = padding_mask, masked_softmax


def burn(seconds):
    end = time.process_time() + seconds
    while time.process_time() < end:
        pass


def padding_mask(lengths, max_len=None):
    burn(0.3)
    return _padding_mask(lengths, max_len)


def masked_softmax(scores, mask, dim=-1):
    burn(0.8)
    return _masked_softmax(scores, mask, dim)
