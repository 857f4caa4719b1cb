"""Which shapes operations give on the ``meta`` device: torch's own rules, the fast ones of them.

For its compiler torch puts rules written in Python over those that it has in C++, which take a hundredth of the time;
and Python's import sympy at their first use, half a CPU second. In a server they are taken away where C++ can answer,
by a rule or by what an operator is composed of; ``RULES`` has those that submissions use most of the others, made of
operators that C++ answers for, so that shapes, dtypes and devices are held to as there.
"""

from __future__ import annotations

import functools
from typing import Any

import torch

KEPT: Any = torch.library.Library("aten", "IMPL", "Meta")  # type: ignore[no-untyped-call]  # as long as the process lives


@functools.cache
def prefer_compiled() -> None:
    """See above; once a process. In a torch that keeps its rules otherwise all stays as it is, and slow."""
    python = getattr(torch._meta_registrations, "_meta_lib_dont_use_me_use_register_meta", None)
    if python is None:
        return
    names = [name.split("/")[1] for name in python._op_impls if name.startswith("aten/")]
    python._destroy()
    for name in names:
        if not (_compiled(name, "Meta") or _compiled(name, "CompositeExplicitAutograd")):
            packet, _, overload = name.partition(".")
            operator = getattr(getattr(torch.ops.aten, packet), overload or "default")
            KEPT.impl(name, RULES.get(name, operator.py_kernels[torch._C.DispatchKey.Meta]))


def _compiled(name: str, key: str) -> bool:
    return torch._C._dispatch_has_kernel_for_dispatch_key(f"aten::{name}", key)


def _of_one(x: torch.Tensor, *_: Any, out: torch.Tensor) -> torch.Tensor:
    return out.resize_(x.shape)


def _of_two(x: torch.Tensor, other: torch.Tensor, *, out: torch.Tensor) -> torch.Tensor:
    return out.resize_((x == other).shape)


def _reduced(x: torch.Tensor, dim: Any, keepdim: bool = False, *, out: torch.Tensor) -> torch.Tensor:
    return out.resize_(x.sum(dim, keepdim).shape)


RULES: dict[str, Any] = {
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
