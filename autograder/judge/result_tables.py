"""Step results as a flat table of named arrays.

The oracle uses it to compute the answers of known mistakes. The diagnosis uses it to recognise them.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Literal, NamedTuple

import numpy as np

from autograder import protocol
from autograder.protocol import wire


class Key(NamedTuple):
    """The name of one array: an output of a call, the gradient of an input or parameter, or a parameter's value.

    ``structure`` is there only for a call that returned too many results or too few: their number and shapes.
    """

    step: str
    what: Literal["value", "gradient", "parameter", "structure"]
    name: str


Table = dict[Key, np.ndarray]


def table(program: protocol.Program, results: Iterable[protocol.StepResult]) -> Table:
    """Return all arrays that can be read. A missing gradient (None) counts as 0. Free results are left out."""
    arrays: Table = {}
    for result in results:
        step = program.named.get(result.into)
        if isinstance(step, protocol.Call) and step.free:
            continue
        if isinstance(step, protocol.Call) and result.value is not None:
            for name, array in _values(step, result.value):
                arrays[Key(result.into, "value", name)] = array
            if (structure := _wrong_structure(step, result.value)) is not None:
                arrays[Key(result.into, "structure", "")] = structure
        for name, gradient in result.gradients.items():
            array = np.zeros(()) if gradient is None else wire.to_numpy(gradient)
            arrays[Key(result.into, "gradient", name)] = array
        for name, parameter in result.parameters.items():
            arrays[Key(result.into, "parameter", name)] = wire.to_numpy(parameter)
    return arrays


def _values(step: protocol.Call, value: protocol.Value) -> Iterator[tuple[str, np.ndarray]]:
    items: tuple[protocol.Value, ...] = (value,)
    if len(step.outputs) > 1:
        items = value.items if isinstance(value, protocol.Sequence) else ()
    if len(items) != len(step.outputs):
        return
    for name, item in zip(step.outputs, items, strict=True):
        if isinstance(item, protocol.Tensor) and (item.array.data or 0 in item.array.shape):
            if item.array.dtype in wire.DTYPES:
                yield name, wire.to_numpy(item.array)
        elif isinstance(item, protocol.Scalar) and isinstance(item.value, bool | int | float):
            yield name, np.asarray(float(item.value))


def _wrong_structure(step: protocol.Call, value: protocol.Value) -> np.ndarray | None:
    """Return the number of results and their shapes, where a call returned too many or too few; None elsewhere."""
    several = isinstance(value, protocol.Sequence)
    items = value.items if isinstance(value, protocol.Sequence) else (value,)
    arrays = [item.array.shape for item in items if isinstance(item, protocol.Tensor)]
    right = len(items) == len(step.outputs) and several == (len(items) > 1)
    if right or not arrays:
        return None
    return np.array([len(items) if several else 0, *(size for shape in arrays for size in (len(shape), *shape))])


def as_stored(values: np.ndarray) -> np.ndarray:
    """Return a variant's numbers as they are stored: in single precision, which is enough to recognise them."""
    with np.errstate(over="ignore"):
        return values.astype(np.float32) if values.dtype.kind == "f" else values
