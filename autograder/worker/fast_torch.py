"""Speed-ups on private interfaces of torch: the only file with such tricks.

Each one does nothing in a torch release that it was not tried with, or that lacks a name which it needs. Workers then
start and run slower, with the same results.
"""

from __future__ import annotations

import functools
import importlib
import sys
import types
from collections.abc import Callable
from typing import Any

import torch

from autograder.worker.shape_rules import RULES

TRIED = ("2.13",)  # releases of torch
COMPILER = "torch._dynamo"
# The dispatch keys for C++ on the meta device: a shape rule, or what an operator is composed of.
COMPILED = ("Meta", "CompositeExplicitAutograd", "CompositeExplicitAutogradNonFunctional")


def is_tried() -> bool:
    """Return whether the speed-ups were tried with this release of torch."""
    return ".".join(torch.__version__.split(".")[:2]) in TRIED


# ---- imports


class CompilerStandIn(types.ModuleType):
    """Takes the place of torch's compiler until somebody asks for more than not to compile."""

    def __init__(self) -> None:
        super().__init__(COMPILER)
        self.disable = _unchanged
        self.graph_break = lambda *_, **__: None

    def __getattr__(self, name: str) -> Any:
        if name.startswith("__") and name != "__path__":  # code that walks through all modules needs no compiler
            raise AttributeError(name)
        if sys.modules.get(COMPILER) is self:
            del sys.modules[COMPILER]
        return getattr(importlib.import_module(COMPILER), name)


def _unchanged(function: Callable[..., Any] | None = None, *_: Any, **__: Any) -> Callable[..., Any]:
    return function or _unchanged  # as a decorator with arguments, too


def defer_compiler() -> None:
    """Put a stand-in in the place of ``torch._dynamo``, unless that is imported already.

    Optimizers and operations on the ``meta`` device import it only to say that they need no compiling: 800 modules, one
    or two CPU seconds. What ``import torch`` itself imports stays: without it, ``torch.Generator`` does not work.
    """
    if is_tried() and COMPILER not in sys.modules:
        sys.modules[COMPILER] = CompilerStandIn()


# ---- shapes on the meta device


@functools.cache
def prefer_compiled_shapes() -> Any:
    """Replace torch's shape rules in Python by those in C++, or by ``RULES``, once a process.

    The rules in Python are for the compiler. They take a hundred times as long, and import sympy at their first use,
    half a CPU second. Returns the library of the replacements: they hold as long as it lives, so the cache keeps it.
    """
    if not is_tried():
        return None
    try:  # every private name, before the first change
        python: Any = torch._meta_registrations._meta_lib_dont_use_me_use_register_meta
        names = [name.split("/")[1] for name in python._op_impls if name.startswith("aten/")]
        remove, _ = python._destroy, [(_has_compiled_rule(name), _python_rule(name)) for name in names[:1]]
    except (AttributeError, KeyError):
        return None
    remove()
    library: Any = torch.library.Library("aten", "IMPL", "Meta")  # type: ignore[no-untyped-call]
    for name in names:
        if name in RULES or not _has_compiled_rule(name):
            library.impl(name, RULES.get(name) or _python_rule(name))
    return library


def _has_compiled_rule(name: str) -> bool:
    has = torch._C._dispatch_has_kernel_for_dispatch_key
    return any(has(f"aten::{name}", key) for key in COMPILED)


def _python_rule(name: str) -> Any:
    packet, _, overload = name.partition(".")
    operator = getattr(getattr(torch.ops.aten, packet), overload or "default")
    return operator.py_kernels[torch._C.DispatchKey.Meta]


# ---- gradients


def backward_engine() -> Callable[..., Any] | None:
    """Return the autograd engine's own entry, or None.

    It takes cotangents at a third of the cost of a loss. ``torch.autograd.grad`` imports sympy if given cotangents.
    """
    if not is_tried():
        return None
    engine = getattr(torch.autograd.Variable, "_execution_engine", None)
    return getattr(engine, "run_backward", None)
