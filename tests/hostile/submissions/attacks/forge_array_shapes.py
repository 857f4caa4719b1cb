"""Sends arrays whose shapes, dtypes and bytes disagree, overflow or are objects."""
import sys

model, observe = sys.modules["autograder.protocol"], sys.modules["autograder.worker.describe"]
Array = model.Array
ARRAYS = [
    Array("float64", (1 << 62, 4), b"", "cpu", False),
    Array("float64", (-1, -1), bytes(8), "cpu", False),
    Array("object", (1,), bytes(8), "cpu", False),
    Array("O", (0,), b"", "cpu", True),
    Array("bool", (0, 1 << 63 - 1), b"", "cpu", False),
    Array("bool", (1,) * 60, b"\1", "cpu", False),
    Array("V8", (1,), bytes(8), "cuda", False),
]
observe.value = lambda result, depth=0: model.Tensor(ARRAYS[result])


def padding_mask(lengths, max_len=None):
    return 0


def causal_mask(length):
    return length % 7


def window_mask(length, radius):
    return (length + radius) % 7


def strided_mask(length, stride):
    return (length + stride) % 7
