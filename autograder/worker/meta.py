"""Tensors on the ``meta`` device: shapes without numbers, which show whether code keeps to its inputs' device.

The first operation on one imports torch's compiler, about 800 modules and a CPU second, only to ask it not to
compile. While a program on ``meta`` runs, a stand-in answers that question; where a later torch asks another
one, the real compiler is imported and all is as before, but slower. torch.compile is not offered while grading.

For its compiler torch puts rules of shapes written in Python over those that it has in C++, which take a hundredth of
the time. In a server the Python ones are taken away again where there are others.
"""

from __future__ import annotations

import contextlib
import itertools
import sys
import types
from collections.abc import Callable, Iterable, Iterator
from typing import Any

import torch
from torch.overrides import TorchFunctionMode

COMPILER = "torch._dynamo"
COMPOSED = ("masked_fill.",)  # has no rule, but is made of operators that do
REMAINING = torch.library.Library("aten", "IMPL", "Meta")  # as long as the process lives


@contextlib.contextmanager
def without_compiler() -> Iterator[None]:
    """Keeps operations on ``meta`` from importing the compiler."""
    if COMPILER in sys.modules:
        yield
        return
    stand_in = types.ModuleType(COMPILER)
    vars(stand_in)["disable"] = _as_it_is
    sys.modules[COMPILER] = vars(torch)["_dynamo"] = stand_in
    try:
        yield
    finally:
        if sys.modules.get(COMPILER) is stand_in:
            del sys.modules[COMPILER]
        vars(torch).pop("_dynamo", None)


@contextlib.contextmanager
def offered() -> Iterator[None]:
    """In which programs on ``meta`` run."""
    with without_compiler(), Copies():
        yield


class Copies(TorchFunctionMode):
    """Lets numbers be read from ``meta`` tensors: ones, which are legal lengths, classes and masks. So code that only
    looks at them goes on, and a result that stays on the CPU is seen there."""

    def __torch_function__(
        self,
        func: Callable[..., Any],
        types: Any,
        args: tuple[Any, ...] = (),
        kwargs: dict[str, Any] | None = None,
    ) -> Any:
        first = args[0] if args else None
        if isinstance(first, torch.Tensor) and first.is_meta:
            ones = torch.ones(first.shape, dtype=first.dtype)
            if func in READERS:
                return func(ones, *args[1:], **(kwargs or {}))
            if func is torch.Tensor.cpu or _to_cpu(func, args, kwargs):
                return func(ones.requires_grad_(first.requires_grad), *args[1:], **(kwargs or {}))
        if getattr(func, "__name__", "") in STRICT and _mixed((*args, *(kwargs or {}).values())):
            raise RuntimeError("Expected all tensors to be on the same device")  # meta alone does not mind
        return func(*args, **(kwargs or {}))


READERS = {
    torch.Tensor.numpy, torch.Tensor.tolist, torch.Tensor.item, torch.Tensor.__bool__,
    torch.Tensor.__int__, torch.Tensor.__float__, torch.Tensor.__index__,
}  # fmt: skip

# Whose tensors must all be on one device, and whose rules of shapes do not look at that.
STRICT = {
    "matmul", "__matmul__", "__rmatmul__", "mm", "bmm", "addmm", "addbmm", "baddbmm", "einsum", "tensordot", "linear",
    "bilinear", "cat", "concat", "concatenate", "stack", "hstack", "vstack", "dstack", "gather", "take_along_dim",
    "embedding", "cross_entropy", "nll_loss", "masked_fill", "masked_fill_",
}  # fmt: skip


def _mixed(args: Iterable[Any]) -> bool:
    """Whether tensors of several devices are among them, in lists, too; a single number goes with every device."""
    flat = itertools.chain.from_iterable(arg if isinstance(arg, list | tuple) else (arg,) for arg in args)
    return len({arg.is_meta for arg in flat if isinstance(arg, torch.Tensor) and arg.dim()}) > 1


def _to_cpu(func: Callable[..., Any], args: tuple[Any, ...], kwargs: dict[str, Any] | None) -> bool:
    if func is not torch.Tensor.to:
        return False
    devices = [arg for arg in (*args[1:], *(kwargs or {}).values()) if isinstance(arg, str | torch.device)]
    return any(torch.device(device).type == "cpu" for device in devices)


def _as_it_is(function: Callable[..., Any], *_: Any, **__: Any) -> Callable[..., Any]:
    return function


def warm() -> None:
    """Does once, for all workers of a server, what the first operation needs, and what makes the others fast."""
    with without_compiler():
        _prefer_compiled_rules()
        torch.empty(1, device="meta").abs()


def _prefer_compiled_rules() -> None:
    """See above. In a torch that keeps its rules otherwise all stays as it is, and slow."""
    rules = getattr(torch._meta_registrations, "_meta_lib_dont_use_me_use_register_meta", None)
    if rules is None:
        return
    has = torch._C._dispatch_has_kernel_for_dispatch_key
    names = [name.split("/")[1] for name in rules._op_impls if name.startswith("aten/")]
    rules._destroy()
    for name in names:
        if not name.startswith(COMPOSED) and not has(f"aten::{name}", "Meta"):
            packet, _, overload = name.partition(".")
            operator = getattr(getattr(torch.ops.aten, packet), overload or "default")
            REMAINING.impl(name, operator.py_kernels[torch._C.DispatchKey.Meta])
