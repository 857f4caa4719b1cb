"""Names the torch functions and operators that run while a function of the submission does.

Three recorders look at the same call, each from another side, because each of them can be talked out of looking:

- torch's profiler sees every operator and the autograd engine, under any name, also inside others. It is used and
  not a dispatch mode, because that sees no composite operators, and imports the compiler. The legacy one, because
  the other starts a thread, after which this process could not be forked any more;
- the interpreter's own hook sees Python functions of torch and of other libraries, such as
  ``F.multi_head_attention_forward``, which are no operators, and what would stop a recorder;
- the graph of the result remembers the operators that made it.

The kernels of ``kernels`` are a fourth. A recording carries marks at its two ends: one that was stopped in between,
or begun anew, lacks them, and counts as none.
"""

from __future__ import annotations

import contextlib
import functools
import inspect
import os
import re
import secrets
import sys
import types
from collections import Counter
from collections.abc import Callable, Iterator
from typing import Any

import torch
from torch.autograd.profiler_legacy import profile

from autograder.worker import kernels

AUTOGRAD: Any = torch._C._autograd
# Called so, they make no event themselves.
HOOK: Any = functools.partial(sys.getprofile)
UNHOOK: Any = functools.partial(sys.setprofile, None)
START, STOP = AUTOGRAD._enable_profiler_legacy, AUTOGRAD._disable_profiler_legacy
ENTER, LEAVE = AUTOGRAD._record_function_with_args_enter, AUTOGRAD._record_function_with_args_exit
CONFIG = profile().config()  # type: ignore[no-untyped-call]  # of torch
WHOLE, INTERRUPTED = "recording::whole", "recording::interrupted"
# Autograd functions of the student's own are recorded too, under any name they like.
LIBRARIES = ("aten::", "prim::", "prims::", "quantized::", "_quantized::", "mkldnn::", "onednn::")
NODES = 20_000  # of a graph; more are not looked at

# Which calls of Python are told: all others are anybody's, and there may be thousands.
TELLING = re.compile(
    r"soft_?m(ax|in)|log_?(cum)?_?sum_?exp|multi_?head|dot_?product|(flex|flash|efficient)_?attention|vjp|jvp"
    r"|backward|\bgrad\b|jac(rev|fwd)|make_dual|[gs]etprofile|profiler|enable_record_function|_clear_callbacks",
    re.IGNORECASE,
)
ASKING = re.compile(r"(^|\.)(is|has|can|should)_\w+$")  # whether there is such a thing: that uses nothing
# Ready-made attention is told of torch alone: what other libraries build of a softmax and products is not forbidden.
ATTENTION = re.compile(r"multi_?head|dot_?product|attention", re.IGNORECASE)
Names = Counter[str]  # how often each was seen
Hook = Callable[[types.FrameType, str, Any], None]


@functools.cache
def _telling(name: str) -> bool:
    return TELLING.search(name) is not None and not ASKING.search(name)


def _hook(names: set[str]) -> Hook:
    """Adds to ``names`` the telling calls of libraries. A library's file has a whole path; a student's has not,
    and what students call their own functions means nothing."""

    def hook(frame: types.FrameType, event: str, arg: Any) -> None:
        if event == "call":
            name = frame.f_code.co_qualname
            if _telling(name) and _of_library(frame):
                module = str(frame.f_globals.get("__name__"))
                if module.startswith("torch") or not ATTENTION.search(name):
                    names.add(f"{module}.{name}")
        elif event == "c_call" and _telling(arg.__name__):
            names.add(f"{arg.__module__ or 'torch'}.{arg.__name__}")

    return hook


def _of_library(frame: types.FrameType) -> bool:
    """Whether a function of a library was called, and not only on behalf of an import."""
    if not os.path.isabs(frame.f_code.co_filename) or not frame.f_code.co_flags & inspect.CO_OPTIMIZED:
        return False  # a student's; or the body of a class
    above = frame.f_back
    while above is not None and os.path.isabs(above.f_code.co_filename):
        above = above.f_back
    return above is None or not above.f_code.co_filename.startswith("<frozen importlib")


@contextlib.contextmanager
def operations(names: Names, watched: kernels.Kernels | None = None, recorded: bool = True) -> Iterator[None]:
    """Adds to ``names`` what runs inside: ``aten::softmax``, ``autograd::engine``,
    ``torch.nn.functional.multi_head_attention_forward``; and INTERRUPTED where that can't be vouched for, else WHOLE.
    Not ``recorded``: without torch's profiler, which costs as much as what it looks at; only what is telling."""
    called = set[str]()
    already = len(watched.ran) if watched else 0
    hook, hooked, unhook, finish = _hook(called), HOOK, UNHOOK, _record() if recorded else _nothing
    try:
        sys.setprofile(hook)
        yield
    finally:
        intact = hooked() is hook
        unhook()
        found = finish()
        for some in (found, called, watched.ran[already:] if watched else ()):
            names.update(some)
        names.update([WHOLE if intact and INTERRUPTED not in found else INTERRUPTED])


def _nothing() -> Names:
    return Counter()


def _record() -> Callable[[], Names]:
    """Starts torch's recorder; what is returned stops it and says what it saw."""
    first, last = secrets.token_hex(8), secrets.token_hex(8)
    stop, leave, enter = STOP, LEAVE, ENTER

    def finish() -> Names:
        leave(enter(last))
        try:
            every = [name for thread in stop() for event in thread if (name := event.name())]
        except RuntimeError:  # somebody else has stopped it
            return Counter([INTERRUPTED])
        names = Counter(name for name in every if name.startswith(LIBRARIES))
        if any(name.startswith("autograd::engine") for name in every):
            names.update(["autograd::engine"])
        # What torch itself adds, at the very ends, are its own marks.
        whole = every[:2] == ["__start_profile", first] and every[-2:] == [last, "__stop_profile"]
        return names if whole else names + Counter([INTERRUPTED])

    START(CONFIG)
    leave(enter(first))
    return finish


def graph(result: Any) -> set[str]:
    """The operators that the graph of a result remembers, as ``graph::Softmax``; a student's own not."""
    tensors = result if isinstance(result, (tuple, list)) else [result]
    waiting = [one.grad_fn for one in tensors if isinstance(one, torch.Tensor) and one.grad_fn is not None]
    seen: set[Any] = set(waiting)
    while waiting and len(seen) < NODES:
        new = {node for node, _ in waiting.pop().next_functions if node is not None} - seen
        seen |= new
        waiting.extend(new)
    library = (node for node in seen if not hasattr(node, "_forward_cls"))
    return {"graph::" + re.sub(r"Backward\d*$", "", node.name()) for node in library}


def warm() -> None:
    """Pays for the first use before the server forks, and makes sure that the recorders see."""
    watched, names = kernels.Kernels(), Names()
    watched.watch("softmax")
    with operations(names, watched):
        weights = torch.softmax(torch.zeros(2, requires_grad=True), 0)
    watched.watch("")
    names.update(graph(weights))
    missing = {"aten::softmax", "torch.softmax", "aten::_softmax", "graph::Softmax"} - names.keys()
    if missing or WHOLE not in names:
        raise RuntimeError(f"this torch can't be traced: {sorted(missing)} not seen")
