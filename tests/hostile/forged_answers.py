"""Answers of a worker that knows a hidden input and puts it into every fact in turn."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, get_args

import numpy as np
from msgspec.structs import replace

from autograder import model, protocol
from autograder.feedback import vocabulary
from autograder.judge.calls import TAMPERING
from autograder.protocol import arrays, wire

SECRET = "4711"
ODD = int(SECRET)
NAMES = (SECRET, f"aten::softmax {SECRET}", f"ValueError {SECRET}")


def answers(prepared: model.Prepared) -> Iterator[protocol.Answer]:
    """Yield answers that differ from the expected one in one fact of one step."""
    right = prepared.expected_results
    for place, result in enumerate(right):
        for changed in _results(result):
            yield protocol.Answer("n", (*right[:place], changed, *right[place + 1 :]))


def _results(result: protocol.StepResult) -> Iterator[protocol.StepResult]:
    for name, values in _facts(result).items():
        for value in values:
            yield replace(result, **{name: value})


def _facts(result: protocol.StepResult) -> dict[str, list[Any]]:
    operations = [*NAMES, *(f"aten::{word}" for word in vocabulary.forbidden_words()), *TAMPERING]
    return {
        "value": [*_values(result.value), None],
        "raised": list(_errors()),
        "gradients": list(_tables(result.gradients)),
        "echoes": list(_tables(result.echoes)),
        "parameters": list(_tables(result.parameters)),
        "operations": [(), *((name,) for name in operations)],
        "later": [(name,) for name in operations],
        "interface": [None, *_interfaces(result.interface)],
        "training": [True, False, None],
        "drew": [True],
        "changed": [(0,), (ODD,)],
        "count": [ODD],
    }


def _errors() -> Iterator[protocol.Raised]:
    for during in ("call", "backward", "make", "load", "inspect", "skipped"):
        for base in (*vocabulary.ERRORS, *NAMES):
            yield protocol.Raised(SECRET, (base,), f"{SECRET} parameter", ODD, SECRET, during)  # type: ignore[arg-type]


def _arrays(array: protocol.Array) -> Iterator[protocol.Array]:
    for dtype in get_args(arrays.ArrayDtype):
        yield replace(array, dtype=dtype, data=b"" if dtype not in wire.DTYPES else _filled(array.shape, dtype))
    for device in get_args(arrays.ArrayDevice):
        yield replace(array, device=device)
    shape = array.shape
    for other in ((), (ODD,), (*shape, 1), shape[:-1], shape[::-1], (1, *shape), tuple(size + 1 for size in shape)):
        yield replace(array, shape=other, data=_filled(other, array.dtype))
    for number in (ODD, 0, float("nan"), -1):
        yield replace(array, data=_filled(shape, array.dtype, number))
    yield replace(array, requires_grad=not array.requires_grad)


def _filled(shape: tuple[int, ...], dtype: str, number: float = ODD) -> bytes:
    with np.errstate(all="ignore"):
        kind = wire.DTYPES[dtype]
        return np.full(shape, number if kind.kind == "f" else 1).astype(kind).tobytes()


def _values(value: protocol.Value | None) -> Iterator[protocol.Value]:
    yield from (protocol.Scalar(odd) for odd in (SECRET, ODD, float(SECRET), None, True))
    yield protocol.Opaque(SECRET)
    yield from (protocol.Sequence(kind, ()) for kind in ("tuple", "list", SECRET))
    if isinstance(value, protocol.Tensor):
        yield from (protocol.Tensor(array) for array in _arrays(value.array))
        yield protocol.Sequence("tuple", (value,) * 3)
    elif isinstance(value, protocol.Sequence):
        yield replace(value, items=value.items[::-1])
        for place, item in enumerate(value.items):
            for other in _values(item):
                yield replace(value, items=(*value.items[:place], other, *value.items[place + 1 :]))


def _tables(table: dict[str, Any]) -> Iterator[dict[str, Any]]:
    yield {}
    yield dict.fromkeys((*table, SECRET))
    for name, array in table.items():
        yield table | {name: None}
        if array is not None:
            yield table | {SECRET: array}
            yield from (table | {name: other} for other in _arrays(array))


def _interfaces(interface: protocol.Interface | None) -> Iterator[protocol.Interface]:
    if interface is None:
        return
    for kind in ("class", "function", "module", "other"):
        yield replace(interface, kind=kind)  # type: ignore[arg-type]
    yield replace(interface, arguments=(SECRET,), required=(SECRET,))
    yield replace(interface, persistent_buffers=(SECRET,))
    yield replace(interface, modules={SECRET: SECRET})
    for place, parameter in enumerate(interface.parameters):
        rest = interface.parameters[:place] + interface.parameters[place + 1 :]
        yield replace(interface, parameters=rest)
        others = [replace(parameter, name=SECRET), replace(parameter, shape=(ODD,))]
        others += [replace(parameter, requires_grad=False)]
        others += [replace(parameter, dtype=dtype) for dtype in get_args(arrays.ArrayDtype)]
        for other in others:
            yield replace(interface, parameters=(*rest, other))
