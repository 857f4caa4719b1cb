"""Turns whatever student code returns or raises into plain data of ``protocol``."""

from __future__ import annotations

import inspect
import io
import linecache
import traceback
from collections.abc import Mapping
from typing import Any, Literal, cast

import numpy as np
import torch

from autograder import protocol
from autograder.protocol import answers, arrays, wire

PADDING = " with padding_idx"
MAX_DEPTH = 6
MAX_ITEMS = 10_000
BUILTIN_ERRORS = frozenset(
    name
    for name, value in vars(__import__("builtins")).items()
    if isinstance(value, type) and issubclass(value, BaseException)
)


def value(result: Any, depth: int = 0) -> protocol.Value:
    """Return tensors, numbers, text, and tuples or lists of them as data; of anything else only the type's name."""
    if isinstance(result, torch.Tensor):
        return protocol.Tensor(tensor(result))
    if result is None or type(result) in (bool, int):
        return protocol.Scalar(result if not isinstance(result, int) or abs(result) < 2**63 else float(result))
    if isinstance(result, np.integer):  # counts exactly as Python's
        return protocol.Scalar(int(result))
    if isinstance(result, float):  # numpy's float64 is one
        return protocol.Scalar(float(result))
    if isinstance(result, str):
        return protocol.Scalar(text(result))
    if isinstance(result, (tuple, list)) and depth < MAX_DEPTH and len(result) <= MAX_ITEMS:
        items = tuple(value(item, depth + 1) for item in result)
        return protocol.Sequence(name(type(result).__name__), items)
    return protocol.Opaque(name(f"{type(result).__module__}.{type(result).__qualname__}"))


def tensor(result: torch.Tensor) -> protocol.Array:
    """Return a tensor's values with its dtype, device and whether it requires a gradient."""
    plain = result.detach()
    if type(plain) is not torch.Tensor:
        plain = plain.as_subclass(torch.Tensor)
    device, shape, requires_grad = _device(plain), tuple(plain.shape), bool(result.requires_grad)
    dtype = _dtype(plain.dtype)
    if device == "meta" or plain.layout != torch.strided or dtype not in wire.DTYPES:
        return protocol.Array(dtype, shape, b"", device, requires_grad)  # its kind is reported without values
    return protocol.Array(dtype, shape, plain.numpy(force=True).tobytes(), device, requires_grad)


def _dtype(dtype: torch.dtype) -> protocol.ArrayDtype:
    name = str(dtype).removeprefix("torch.")
    return cast(protocol.ArrayDtype, name if name in arrays.DTYPES else "other")


def _device(tensor: torch.Tensor) -> protocol.ArrayDevice:
    name = tensor.device.type
    return cast(protocol.ArrayDevice, name if name in arrays.DEVICES else "other")


def raised(
    error: BaseException, filename: str, during: Literal["call", "backward", "make", "load", "inspect", "skipped"]
) -> protocol.Raised:
    """Return an exception as text, with the last line of the student's own file in its traceback."""
    bases = tuple(base.__name__ for base in type(error).__mro__ if base.__name__ in BUILTIN_ERRORS)
    try:
        message = text(str(error))
    except BaseException:  # also SystemExit from __str__
        message = "(its text can't be read)"
    line, code = _place(error, filename)
    return protocol.Raised(name(type(error).__name__), bases, message, line, text(code), during)


def text(anything: str) -> str:
    """Return text that can travel: cut, and without lone surrogates, which UTF-8 cannot encode."""
    return anything[: answers.MAX_TEXT].encode("utf-8", "replace").decode()


def name(anything: str) -> str:
    """Return a name that can travel."""
    return text(anything)[: answers.MAX_NAME]


def fits(anything: str) -> bool:
    """Return whether a name can travel as it is. Others are left out of tables."""
    return len(anything) <= answers.MAX_NAME


def _place(error: BaseException, filename: str) -> tuple[int | None, str]:
    if isinstance(error, SyntaxError) and str(error.filename or "").startswith(filename):
        line = error.lineno if isinstance(error.lineno, int) else None  # a student's own SyntaxError may hold anything
        return line, str(error.text or "").strip()
    frames = traceback.walk_tb(error.__traceback__)
    lines = [
        (number, frame.f_code.co_filename) for frame, number in frames if frame.f_code.co_filename.startswith(filename)
    ]
    if not lines:
        return None, ""
    number, name = lines[-1]
    return number, linecache.getline(name, number).strip()


def interface(
    subject: Any, method: bool = False, dtypes: Mapping[str, torch.dtype] | None = None
) -> protocol.Interface:
    """Return the argument names of a function or of a class's constructor, or the parameters and children of a module.

    ``dtypes`` are those that the parameters were made with. The first argument of a ``method`` is left out.
    """
    if isinstance(subject, torch.nn.Module):
        return _module_interface(subject, dtypes or {})
    if not callable(subject):
        return protocol.Interface("other")
    kind: Literal["class", "function"] = "class" if inspect.isclass(subject) else "function"
    try:
        parameters = list(inspect.signature(subject).parameters.values())
    except (TypeError, ValueError):
        return protocol.Interface(kind, variadic=True)
    if method and inspect.isfunction(subject):
        parameters = parameters[1:]
    named = [p for p in parameters if p.kind not in (p.VAR_POSITIONAL, p.VAR_KEYWORD)]
    return protocol.Interface(
        kind,
        arguments=tuple(name(p.name) for p in named),
        required=tuple(name(p.name) for p in named if p.default is p.empty),
        variadic=len(named) < len(parameters),
    )


def _module_interface(module: torch.nn.Module, dtypes: Mapping[str, torch.dtype]) -> protocol.Interface:
    parameters = tuple(
        protocol.ParameterInfo(key, tuple(p.shape), _dtype(dtypes.get(key, p.dtype)), p.requires_grad)
        for key, p in module.named_parameters(remove_duplicate=False)
        if fits(key)
    )
    names = {p.name for p in parameters}
    return protocol.Interface(
        "module",
        parameters=parameters,
        modules={key: _settings(child) for key, child in module.named_modules() if key and fits(key)},
        persistent_buffers=tuple(key for key in module.state_dict() if key not in names and fits(key)),
    )


def _settings(child: torch.nn.Module) -> str:
    """Return a module's class, and the one setting that its parameters do not show."""
    padding = getattr(child, "padding_idx", None) if isinstance(child, torch.nn.Embedding) else None
    return name(type(child).__name__[:100] + (PADDING if padding is not None else ""))


class Printed(io.BufferedIOBase):
    """The target of stdout and stderr. Keeps the first ``limit`` bytes and drops the others. Cannot be closed."""

    name = "<printed>"

    def __init__(self, limit: int = answers.MAX_PRINTED) -> None:
        self.limit = limit
        self.kept = bytearray()

    def writable(self) -> bool:
        return True

    def write(self, data: Any) -> int:
        octets = memoryview(data).cast("B")
        self.kept += octets[: self.limit - len(self.kept)]
        return len(octets)

    def close(self) -> None:
        pass

    def text(self) -> io.TextIOWrapper:
        """Return a full text stream on it, with ``buffer``, ``reconfigure`` and ``encoding``."""
        return io.TextIOWrapper(self, "utf-8", "replace", write_through=True)

    def take(self) -> str:
        kept, self.kept = self.kept, bytearray()
        return kept.decode("utf-8", "replace")
