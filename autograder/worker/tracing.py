"""Names the torch functions and operators that run while a function of the submission does."""

from __future__ import annotations

import contextlib
from collections.abc import Iterator
from typing import Any

import torch
from torch.autograd.profiler_legacy import profile
from torch.overrides import TorchFunctionMode


class _Functions(TorchFunctionMode):
    """Sees Python-level functions such as ``F.multi_head_attention_forward``, which are no operators."""

    def __init__(self) -> None:
        super().__init__()
        self.names: set[str] = set()

    def __torch_function__(self, func: Any, types: Any, args: Any = (), kwargs: Any = None) -> Any:
        self.names.add(str(getattr(func, "__name__", "")))
        return func(*args, **(kwargs or {}))


class _Recorder(profile):
    """Keeps the names alone; building its base's tree of events would take ten times as long."""

    names: frozenset[str] = frozenset()

    def __exit__(self, *_: object) -> None:
        records = torch._C._autograd._disable_profiler_legacy()
        self.names = frozenset(event.name() for thread in records for event in thread)


@contextlib.contextmanager
def operations(names: set[str]) -> Iterator[None]:
    """Adds to ``names`` what runs inside: ``aten::softmax``, ``autograd::engine``, ``multi_head_attention_forward``.

    The profiler is used and not a dispatch mode: it also sees composite operators by name and
    the autograd engine at work, and costs no import of the compiler. The legacy one, because the
    other starts a thread, after which this process could not be forked any more.
    """
    functions = _Functions()
    recorder = _Recorder()  # type: ignore[no-untyped-call]  # of torch
    try:
        with recorder, functions:
            yield
    finally:
        names |= functions.names
        for name in recorder.names:
            if name.startswith("autograd::engine"):
                names.add("autograd::engine")
            elif name.startswith("aten::"):  # others bear names of the student's own autograd functions
                names.add(name)


def warm() -> None:
    """Pays for the first use before the server forks."""
    with operations(set()):
        torch.zeros(2).softmax(0)
