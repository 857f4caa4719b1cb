"""Which shapes operations give on the ``meta`` device: torch's own rules, the fast ones of them.

For its compiler torch puts rules written in Python over those that it has in C++, which take a hundredth of the time;
and Python's import sympy at their first use, half a CPU second. So in a worker they are put aside. ``RULES`` has those
that submissions use most of what C++ can't answer, by a rule or by what an operator is composed of; they are made of
operators that it can, so that shapes, dtypes and devices are held to as there. Where another one is missing, all of
torch's are brought in after all.
"""

from __future__ import annotations

import sys
from collections.abc import Iterable
from typing import Any

import torch

from autograder import model
from autograder.worker import aside

MISSING = "there was no fake impl or Meta kernel"  # what torch says of an operator without a rule


class Shapes:
    """Whose rules hold in this process."""

    def __init__(self) -> None:
        self.library: Any = None  # of the fast ones, as long as they hold
        self.complete = False  # whether torch's are there beside them

    def prepare(self) -> None:
        """Puts the fast rules in force, at its first call."""
        if self.library is None:
            self.complete = not isinstance(sys.modules[aside.RULES], aside.StandIn)
            self._put(torchs_own() if self.complete else {})

    def lack(self, seen: Iterable[model.Seen]) -> bool:
        """Whether steps failed for want of a rule. If so, torch's are brought in, and they may be tried again."""
        if self.complete or not any(one.raised and MISSING in one.raised.message for one in seen):
            return False
        aside.bring_back()
        self.prepare()
        return True

    def give_way(self) -> None:
        """Takes the rules back, before torch's own are put in force: two can't be for the same operator."""
        if self.library is not None:
            self.library._destroy()
            self.library = None

    def _put(self, others: dict[str, Any]) -> None:
        self.library = torch.library.Library("aten", "IMPL", "Meta")  # type: ignore[no-untyped-call]
        for name, rule in (others | RULES).items():
            if not has(name, "Meta"):
                self.library.impl(name, rule)


def torchs_own() -> dict[str, Any]:
    """Torch's rules in Python for what it has none of in C++. Those that it has in both languages hold no more. In a
    torch that keeps them elsewhere there are none, and all stays as it is."""
    python = getattr(sys.modules[aside.RULES], "_meta_lib_dont_use_me_use_register_meta", None)
    if python is None:
        return {}
    names = [name.split("/")[1] for name in python._op_impls if name.startswith("aten/")]
    python._destroy()
    return {
        name: _operator(name).py_kernels[torch._C.DispatchKey.Meta]
        for name in names
        if not has(name, "CompositeExplicitAutograd")
    }


def has(name: str, key: str) -> bool:
    """Whether torch can do an operator for a dispatch key, or by composing it of others."""
    return torch._C._dispatch_has_kernel_for_dispatch_key(f"aten::{name}", key)


def _operator(name: str) -> Any:
    packet, _, overload = name.partition(".")
    return getattr(getattr(torch.ops.aten, packet), overload or "default")


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
    "masked_select": _needs_numbers,
    "equal": _needs_numbers,
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

SHAPES = Shapes()
aside.GIVING_WAY.append(SHAPES.give_way)
