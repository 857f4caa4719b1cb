"""Uses halves of surrogate pairs, which have no UTF-8, in texts and names."""


def padding_mask(lengths, max_len=None):
    raise ValueError("\ud800\udfff\udce4 half")


def causal_mask(length):
    return "\udce4"


def window_mask(length, radius):
    error = ValueError("x")
    error.args = ("\ud800",)
    raise error


globals()["strided_mask"] = lambda **kwargs: kwargs
print("\ud800")
