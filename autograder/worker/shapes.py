"""Which shapes operations give on the ``meta`` device: torch's own rules, the fast ones of them.

For its compiler torch puts rules written in Python over those that it has in C++, which take a hundredth of the time;
and Python's import sympy at their first use, half a CPU second. Here they are taken away where C++ can answer, by a
rule or by what an operator is composed of. ``RULES`` has those that submissions use most of the others; they are made
of operators that C++ answers for, so that shapes, dtypes and devices are held to as there.
"""

from __future__ import annotations

import functools
from typing import Any

import torch

# The dispatch keys under which C++ answers for the meta device: a rule, or what an operator is composed of.
COMPILED = ("Meta", "CompositeExplicitAutograd", "CompositeExplicitAutogradNonFunctional")


@functools.cache
def prefer_compiled() -> Any:
    """Puts the fast rules in force, once a process. In a torch that keeps its own elsewhere all stays as it is. What
    is returned, and kept by the cache, is the library of ours: they hold as long as it lives."""
    python = getattr(torch._meta_registrations, "_meta_lib_dont_use_me_use_register_meta", None)
    if python is None:
        return None
    names = [name.split("/")[1] for name in python._op_impls if name.startswith("aten/")]
    python._destroy()
    library: Any = torch.library.Library("aten", "IMPL", "Meta")  # type: ignore[no-untyped-call]
    for name in names:
        if not any(has(name, key) for key in COMPILED):
            library.impl(name, RULES[name] if name in RULES else _pythons(name))
    return library


def has(name: str, key: str) -> bool:
    """Whether torch has a kernel of its own for an operator under a dispatch key."""
    return torch._C._dispatch_has_kernel_for_dispatch_key(f"aten::{name}", key)


def _pythons(name: str) -> Any:
    """Torch's rule in Python."""
    packet, _, overload = name.partition(".")
    operator = getattr(getattr(torch.ops.aten, packet), overload or "default")
    return operator.py_kernels[torch._C.DispatchKey.Meta]


def _of_one(x: torch.Tensor, *_: Any, out: torch.Tensor) -> torch.Tensor:
    return out.resize_(x.shape)


def _of_two(x: torch.Tensor, other: torch.Tensor, *, out: torch.Tensor) -> torch.Tensor:
    return out.resize_((x == other).shape)


def _reduced(x: torch.Tensor, dim: Any, keepdim: bool = False, *, out: torch.Tensor) -> torch.Tensor:
    return out.resize_(x.sum(dim, keepdim).shape)


def _spread(
    x: torch.Tensor, dim: Any = None, *, correction: Any = None, keepdim: bool = False
) -> torch.Tensor:
    return x.sum(dim, keepdim)


def _chosen(x: torch.Tensor, dim: int, index: torch.Tensor) -> torch.Tensor:
    if not index.is_meta:
        raise RuntimeError("Expected all tensors to be on the same device")
    size = list(x.shape)
    if size:
        size[dim] = index.numel()
    return x.new_empty(size)


def _loss(
    x: torch.Tensor, target: torch.Tensor, weight: Any, reduction: int, _: int
) -> tuple[torch.Tensor, torch.Tensor]:
    losses = x.sum(1) + target  # which holds their shapes and devices to each other
    return losses if reduction == 0 else losses.sum(), x.new_empty(())


def _needs_numbers(*_: Any, **__: Any) -> None:
    raise RuntimeError("on the meta device there are no numbers")


RULES: dict[str, Any] = {
    "nonzero": _needs_numbers,
    "_local_scalar_dense": _needs_numbers,
    "floor_divide": lambda x, other: x + other,
    "rsub.Tensor": lambda x, other, **_: x + other,
    "embedding_dense_backward": lambda grad, _, count, *__: grad.new_empty(count, grad.shape[-1]),
    "index_select": _chosen,
    "nll_loss2d_forward": _loss,
    "nll_loss2d_backward": lambda grad, x, *_: torch.empty_like(x),
    "count_nonzero.dim_IntList": lambda x, dim: (x != 0).sum(dim),
    "flip": lambda x, dims: torch.empty_like(x),
    "roll": lambda x, *_: torch.empty_like(x),
    "prod": lambda x, dtype=None: x.sum(dtype=dtype),
    "var.correction": _spread,
    "std.correction": _spread,
    "where.self": lambda condition, x, other: (x + other) + condition.bool(),
    "isnan": lambda x: x != x,
    "relu": lambda x: x.clamp(min=0),
    "dot": lambda x, other: (x * other).sum(),
    "max": lambda x: x.amax(),
    "min": lambda x: x.amin(),
    "abs.out": _of_one,
    "logical_not.out": _of_one,
    "nan_to_num.out": _of_one,
    "logical_and.out": _of_two,
    "logical_or.out": _of_two,
    "logical_xor.out": _of_two,
    "logsumexp.out": _reduced,
}
