"""Tensors on the ``meta`` device have shapes but no values. They show whether code keeps to its inputs' device."""

from __future__ import annotations

import itertools
from collections.abc import Callable, Iterable
from typing import Any

import torch
from torch.overrides import TorchFunctionMode


class Copies(TorchFunctionMode):
    """Lets code read values of ``meta`` tensors: ones, which are legal lengths, classes and masks.

    So code that only reads values goes on, and a result that stays on the CPU shows.
    """

    def __torch_function__(
        self, func: Callable[..., Any], types: Any, args: tuple[Any, ...] = (), kwargs: dict[str, Any] | None = None
    ) -> Any:
        kwargs = kwargs or {}
        if _asks_for_cuda(func, args, kwargs):  # a machine with a device would give it
            raise RuntimeError("Expected all tensors to be on the same device as the inputs, but this asks for CUDA")
        reads = func in READERS
        if (reads or func is torch.Tensor.cpu or _to_cpu(func, args, kwargs)) and args[0].is_meta:
            first = args[0]
            ones = torch.ones(first.shape, dtype=first.dtype)
            return func(ones if reads else ones.requires_grad_(first.requires_grad), *args[1:], **kwargs)
        if getattr(func, "__name__", "") in STRICT and _mixed((*args, *kwargs.values())):
            raise RuntimeError("Expected all tensors to be on the same device")  # the meta device does not check this
        return func(*args, **kwargs)


READERS = {
    torch.Tensor.numpy,
    torch.Tensor.tolist,
    torch.Tensor.item,
    torch.Tensor.__bool__,
    torch.Tensor.__int__,
    torch.Tensor.__float__,
    torch.Tensor.__index__,
}

# Functions whose tensors must all be on one device, although their shape rules do not check it.
STRICT = {
    "matmul",
    "__matmul__",
    "__rmatmul__",
    "mm",
    "bmm",
    "addmm",
    "addbmm",
    "baddbmm",
    "einsum",
    "tensordot",
    "linear",
    "bilinear",
    "cat",
    "concat",
    "concatenate",
    "stack",
    "hstack",
    "vstack",
    "dstack",
    "gather",
    "take_along_dim",
    "embedding",
    "cross_entropy",
    "nll_loss",
    "masked_fill",
    "masked_fill_",
    "add_",
    "sub_",
    "mul_",
    "div_",
}


def _mixed(args: Iterable[Any]) -> bool:
    """Return whether the tensors, also in lists, are on several devices. A single number goes with every device."""
    flat = itertools.chain.from_iterable(arg if isinstance(arg, list | tuple) else (arg,) for arg in args)
    return len({arg.is_meta for arg in flat if isinstance(arg, torch.Tensor) and arg.dim()}) > 1


def _to_cpu(func: Callable[..., Any], args: tuple[Any, ...], kwargs: dict[str, Any]) -> bool:
    return func is torch.Tensor.to and "cpu" in _devices(*args[1:], *kwargs.values())


def _asks_for_cuda(func: Callable[..., Any], args: tuple[Any, ...], kwargs: dict[str, Any]) -> bool:
    if func is torch.Tensor.to:
        return "cuda" in _devices(*args[1:], *kwargs.values())
    return func is torch.Tensor.cuda or "cuda" in _devices(kwargs.get("device"))


def _devices(*named: Any) -> set[str]:
    """Return the types of the devices among some arguments. A number is that of a CUDA device."""
    numbers = {"cuda" for one in named if type(one) is int}
    return numbers | {torch.device(one).type for one in named if isinstance(one, str | torch.device)}
