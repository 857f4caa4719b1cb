"""Parts of torch that a worker has no use for, kept out of it until somebody asks for them.

Its rules of shapes for the compiler and ``torch.export`` take a third of the time that ``import torch`` does.
Optimizers and operations on the ``meta`` device import ``torch._dynamo``, 800 modules and one or two CPU seconds, only
to ask it not to compile what they do. Stand-ins have their places, and an answer to that question; whoever asks for
anything else gets the real one, which answers from then on.
"""

from __future__ import annotations

import importlib
import sys
import types
from collections.abc import Callable, Mapping
from typing import Any


class StandIn(types.ModuleType):
    """What is there in the place of a module."""

    def __init__(self, name: str, answers: Mapping[str, Any]) -> None:
        super().__init__(name)
        vars(self).update(answers)

    def __getattr__(self, name: str) -> Any:
        if name.startswith("__") and name != "__path__":  # whoever looks through all modules wants none of it
            raise AttributeError(name)
        if sys.modules.get(self.__name__) is self:
            del sys.modules[self.__name__]
            bring_back()
        return getattr(importlib.import_module(self.__name__), name)


def put_aside() -> None:
    """Puts the stand-ins in the places of what is not imported yet; to be called before torch is imported."""
    for name, answers in ASIDE.items():
        if name not in sys.modules:
            sys.modules[name] = StandIn(name, answers)


def bring_back() -> None:
    """Imports what ``import torch`` would have, in its order: the compiler can't be imported without it."""
    for give_way in GIVING_WAY:
        give_way()
    for name in PARTS:
        if isinstance(sys.modules.get(name), StandIn):
            del sys.modules[name]
    for name in PARTS:
        importlib.import_module(name)


def _as_it_is(function: Callable[..., Any] | None = None, *_: Any, **__: Any) -> Callable[..., Any]:
    return function or _as_it_is  # a decorator with arguments, too


def _nothing(*_: Any, **__: Any) -> None:
    pass


RULES = "torch._meta_registrations"
PARTS = (RULES, "torch.export")  # of what ``import torch`` imports
ASIDE: Mapping[str, Mapping[str, Any]] = {
    "torch._dynamo": {"disable": _as_it_is, "graph_break": _nothing},
    **{name: {} for name in PARTS},
}
GIVING_WAY: list[Callable[[], None]] = []  # called before anything is brought back
