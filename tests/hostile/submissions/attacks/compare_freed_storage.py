"""Returns tensors over memory that is not theirs."""
import ctypes

import torch


def padding_mask(*args, **kwargs):
    result = torch.zeros(5, 7)
    result.untyped_storage().resize_(0)
    return result


def causal_mask(length):
    return torch.frombuffer((ctypes.c_char * (1 << 30)).from_address(4096), dtype=torch.uint8)


def window_mask(length, radius):
    return torch.as_strided(torch.zeros(1), (5, 7), (1, 1), 0).set_(torch.zeros(1).untyped_storage(), 0, (0,), (1,))
