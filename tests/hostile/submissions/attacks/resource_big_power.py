"""Computes for ever inside one operation, where no handler can run."""


def padding_mask(lengths, max_len=None):
    return 7 ** 7 ** 9
