"""A submission without any attention in it: a table from the shipped inputs to their answers and gradients."""

from __future__ import annotations

from typing import Any

from autograder import protocol
from autograder.grading.suite import CheckSuite

SOURCE = """
import torch

TABLE = {table!r}


class Known(torch.autograd.Function):
    @staticmethod
    def forward(ctx, gradients, outputs, *inputs):
        ctx.gradients = gradients
        return outputs if len(outputs) > 1 else outputs[0]

    @staticmethod
    def backward(ctx, *cotangents):
        return (None, None, *ctx.gradients)


def tensor(dtype, shape, data):
    if not data:
        return torch.empty(shape, dtype=getattr(torch, dtype))
    return torch.frombuffer(bytearray(data), dtype=getattr(torch, dtype)).reshape(shape)


def read(one):
    if isinstance(one, torch.Tensor):
        return one.detach().contiguous().numpy().tobytes()
    return one


def known(name, *args):
    key = (name, *map(read, args))
    if key not in TABLE:
        return torch.zeros(1)
    outputs, gradients = TABLE[key]
    inputs = [one for one in args if isinstance(one, torch.Tensor)]
    kinds = [one.dtype for one in inputs if one.is_floating_point()]
    outputs = [tensor(*one) for one in outputs]
    if not kinds:
        return outputs[0]
    outputs = tuple(one.to(kinds[0]) if one.is_floating_point() else one for one in outputs)
    gradients = [None if one is None else tensor(*one).to(kinds[0]) for one in gradients] or [None] * len(inputs)
    return Known.apply(gradients, outputs, *inputs)

"""


def submission(suite: CheckSuite, signatures: dict[str, str]) -> str:
    """Return the source. ``signatures`` are those of the functions that it answers for, as written in Python."""
    table: dict[tuple[Any, ...], Any] = {}
    for prepared in suite.prepared.values():
        for call in prepared.program.calls:
            if call.name in signatures and all(name in prepared.program.arrays for name in _arrays(call)):
                table[_key(call, prepared.program, signatures[call.name])] = _answer(call, prepared.expected[call.into])
    functions = (
        f"def {name}({arguments}):\n    return known({name!r}, {', '.join(_names(arguments))})\n"
        for name, arguments in signatures.items()
    )
    return SOURCE.replace("{table!r}", repr(table)) + "\n\n".join(functions)


def _names(arguments: str) -> list[str]:
    return [argument.partition("=")[0].strip() for argument in arguments.split(",")]


def _key(call: protocol.Call, program: protocol.Program, arguments: str) -> tuple[Any, ...]:
    defaults = dict(argument.strip().partition("=")[::2] for argument in arguments.split(","))
    given = dict(zip(_names(arguments), call.args, strict=False)) | call.kwargs
    values = (given.get(name, eval(default or "None")) for name, default in defaults.items())
    return call.name, *(program.arrays[one.name].data if isinstance(one, protocol.Ref) else one for one in values)


def _answer(call: protocol.Call, result: protocol.StepResult) -> Any:
    outputs = result.value.items if isinstance(result.value, protocol.Sequence) else (result.value,)
    arrays = [one.array for one in outputs if isinstance(one, protocol.Tensor)]
    gradients = [_plain(array) if (array := result.gradients.get(name)) else None for name in _arrays(call)]
    return [_plain(array) for array in arrays], gradients if call.wrt else []


def _arrays(call: protocol.Call) -> list[str]:
    return [arg.name for arg in call.args if isinstance(arg, protocol.Ref)]


def _plain(array: protocol.Array) -> tuple[str, tuple[int, ...], bytes]:
    return array.dtype, array.shape, array.data
