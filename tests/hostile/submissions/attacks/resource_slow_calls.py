"""Takes nearly all the time that each call may take, so that all together take very long."""
import time

_padding_mask, _masked_softmax = padding_mask, masked_softmax


def padding_mask(lengths, max_len=None):
    time.sleep(0.3)
    return _padding_mask(lengths, max_len)


def masked_softmax(scores, mask, dim=-1):
    time.sleep(0.9)
    return _masked_softmax(scores, mask, dim)
