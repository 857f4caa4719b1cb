"""Returns a list that holds itself, and tuples a thousand deep."""


def padding_mask(lengths, max_len=None):
    result = []
    result.append(result)
    return result


def causal_mask(length):
    result = ()
    for _ in range(100_000):
        result = (result,)
    return result


def window_mask(length, radius):
    return [[[0] * 5000] * 5000] * 5000
