"""Returns a result that a later call changes, so that it looks different when it is read."""
last = []
_causal_mask = causal_mask


def causal_mask(length):
    for result in last:
        result.zero_()
    result = _causal_mask(length)
    last.append(result)
    return result
