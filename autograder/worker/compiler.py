"""torch's compiler, kept out of a worker as long as nobody compiles.

Optimizers and operations on the ``meta`` device import ``torch._dynamo``, 800 modules and one or two CPU seconds, only
to ask it not to compile what they do. A stand-in answers that; whoever asks for anything else gets the real one, which
answers from then on.

What ``import torch`` itself imports stays, although a third of it is for the compiler: without it ``torch.Generator``
does not work, and who knows what else.
"""

from __future__ import annotations

import importlib
import sys
import types
from collections.abc import Callable
from typing import Any

COMPILER = "torch._dynamo"


class StandIn(types.ModuleType):
    """What a worker has in the place of the compiler."""

    def __init__(self) -> None:
        super().__init__(COMPILER)
        self.disable = _as_it_is
        self.graph_break = _nothing

    def __getattr__(self, name: str) -> Any:
        if name.startswith("__") and name != "__path__":  # whoever looks through all modules wants none of it
            raise AttributeError(name)
        if sys.modules.get(COMPILER) is self:
            del sys.modules[COMPILER]
        return getattr(importlib.import_module(COMPILER), name)


def put_aside() -> None:
    """Puts the stand-in in the compiler's place, where it is not imported yet."""
    if COMPILER not in sys.modules:
        sys.modules[COMPILER] = StandIn()


def _as_it_is(function: Callable[..., Any] | None = None, *_: Any, **__: Any) -> Callable[..., Any]:
    return function or _as_it_is  # a decorator with arguments, too


def _nothing(*_: Any, **__: Any) -> None:
    pass
