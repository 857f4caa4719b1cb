"""Is right the first times that it is asked, and wrong afterwards."""
import torch

calls = []
_masked_softmax = masked_softmax


def masked_softmax(scores, mask, dim=-1):
    calls.append(1)
    return _masked_softmax(scores, mask, dim) if len(calls) < 3 else torch.zeros_like(scores)
