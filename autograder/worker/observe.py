"""Turns whatever student code returns or raises into the plain data of ``model``."""

from __future__ import annotations

import inspect
import io
import linecache
import traceback
from collections.abc import Mapping
from typing import Any, Literal

import torch

from autograder import model, wire

PADDING = " with padding_idx"
MAX_DEPTH = 6
MAX_ITEMS = 10_000
MAX_TEXT = 600
BUILTIN_ERRORS = frozenset(
    name for name, value in vars(__import__("builtins")).items()
    if isinstance(value, type) and issubclass(value, BaseException)
)  # fmt: skip


def value(result: Any, depth: int = 0) -> model.Value:
    """What was returned: tensors, numbers, text, and tuples or lists of them; of anything else its type's name."""
    if isinstance(result, torch.Tensor):
        return model.Tensor(tensor(result))
    if result is None or type(result) in (bool, int):
        return model.Scalar(result if not isinstance(result, int) or abs(result) < 2**63 else float(result))
    if isinstance(result, float):  # numpy's float64 is one
        return model.Scalar(float(result))
    if isinstance(result, str):
        return model.Scalar(text(result))
    if isinstance(result, (tuple, list)) and depth < MAX_DEPTH and len(result) <= MAX_ITEMS:
        items = tuple(value(item, depth + 1) for item in result)
        return model.Sequence(type(result).__name__, items)
    return model.Opaque(text(f"{type(result).__module__}.{type(result).__qualname__}"))


def tensor(result: torch.Tensor) -> model.Array:
    """A tensor's values with its dtype, device and whether a gradient could flow into it."""
    plain = result.detach()
    if type(plain) is not torch.Tensor:
        plain = plain.as_subclass(torch.Tensor)
    device, shape, requires_grad = plain.device.type, tuple(plain.shape), bool(result.requires_grad)
    dtype = str(plain.dtype)[len("torch.") :]
    if device == "meta" or plain.layout != torch.strided or dtype not in wire.DTYPES:
        return model.Array(dtype, shape, b"", device, requires_grad)  # what it was is told, not what is in it
    return model.Array(dtype, shape, plain.numpy(force=True).tobytes(), device, requires_grad)


def raised(
    error: BaseException,
    filename: str,
    during: Literal["call", "backward", "make", "load", "inspect", "skipped"],
) -> model.Raised:
    """An exception as text, with the last line of the student's own file that it passed through."""
    bases = tuple(base.__name__ for base in type(error).__mro__ if base.__name__ in BUILTIN_ERRORS)
    try:
        message = text(str(error))
    except BaseException:  # also an exit, called in __str__
        message = "(its text can't be read)"
    line, code = _place(error, filename)
    return model.Raised(text(type(error).__name__), bases, message, line, text(code), during)


def text(anything: str) -> str:
    """Text that can travel: cut, and without the halves of surrogate pairs that UTF-8 has no bytes for."""
    return anything[:MAX_TEXT].encode("utf-8", "replace").decode()


def _place(error: BaseException, filename: str) -> tuple[int | None, str]:
    if isinstance(error, SyntaxError) and str(error.filename or "").startswith(filename):
        line = error.lineno if isinstance(error.lineno, int) else None  # a student's own may hold anything
        return line, str(error.text or "").strip()
    frames = traceback.walk_tb(error.__traceback__)
    lines = [
        (number, frame.f_code.co_filename)
        for frame, number in frames
        if frame.f_code.co_filename.startswith(filename)
    ]
    if not lines:
        return None, ""
    number, name = lines[-1]
    return number, linecache.getline(name, number).strip()


def interface(
    subject: Any, method: bool = False, dtypes: Mapping[str, torch.dtype] | None = None
) -> model.Interface:
    """Argument names of a function or of a class's constructor; of a module its parameters, with the ``dtypes``
    that they were made with, and children.
    A ``method`` is looked at through its class: its first argument is not the caller's to give."""
    if isinstance(subject, torch.nn.Module):
        return _module_interface(subject, dtypes or {})
    if not callable(subject):
        return model.Interface("other")
    kind: Literal["class", "function"] = "class" if inspect.isclass(subject) else "function"
    try:
        parameters = list(inspect.signature(subject).parameters.values())
    except (TypeError, ValueError):
        return model.Interface(kind, variadic=True)
    if method and inspect.isfunction(subject):
        parameters = parameters[1:]
    named = [p for p in parameters if p.kind not in (p.VAR_POSITIONAL, p.VAR_KEYWORD)]
    return model.Interface(
        kind,
        arguments=tuple(p.name for p in named),
        required=tuple(p.name for p in named if p.default is p.empty),
        variadic=len(named) < len(parameters),
    )


def _module_interface(module: torch.nn.Module, dtypes: Mapping[str, torch.dtype]) -> model.Interface:
    parameters = tuple(
        model.ParameterInfo(
            name, tuple(p.shape), str(dtypes.get(name, p.dtype))[len("torch.") :], p.requires_grad
        )
        for name, p in module.named_parameters(remove_duplicate=False)
    )
    names = {p.name for p in parameters}
    return model.Interface(
        "module",
        parameters=parameters,
        modules={name: _settings(child) for name, child in module.named_modules() if name},
        persistent_buffers=tuple(name for name in module.state_dict() if name not in names),
    )


def _settings(child: torch.nn.Module) -> str:
    """A module's class, and the setting that its parameters do not show."""
    padding = getattr(child, "padding_idx", None) if isinstance(child, torch.nn.Embedding) else None
    return type(child).__name__ + (PADDING if padding is not None else "")


class Printed(io.BufferedIOBase):
    """What stdout and stderr write to: keeps the first ``limit`` bytes and drops the others. Can't be closed."""

    name = "<printed>"

    def __init__(self, limit: int = 10_000) -> None:
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
        """A text stream with all that a real one has: ``buffer``, ``reconfigure``, ``encoding``."""
        return io.TextIOWrapper(self, "utf-8", "replace", write_through=True)

    def take(self) -> str:
        kept, self.kept = self.kept, bytearray()
        return kept.decode("utf-8", "replace")
