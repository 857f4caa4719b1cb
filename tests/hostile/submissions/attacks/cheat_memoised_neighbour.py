"""Answers from what it was asked before, with a cache that lives in torch."""
import torch

cache = vars(torch).setdefault("_cache_@TOKEN@", {})
assert not cache, "STO" "LEN the cache of an earlier run"
_causal_mask = causal_mask


def causal_mask(length):
    return cache.setdefault(length, _causal_mask(length)).clone()
