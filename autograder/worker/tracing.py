"""Records the torch functions and operators that run while a function of the submission runs.

Three recorders observe the same call in different ways, because a submission can switch off each of them:

- torch's profiler sees every operator and the autograd engine, under any name, also inside others. A dispatch mode
  sees no composite operators, and imports the compiler. The new profiler starts a thread, after which this process
  cannot fork, so this is the legacy one;
- the interpreter's own hook sees Python functions of torch and of other libraries, such as
  ``F.multi_head_attention_forward``, which are no operators, and calls that would stop a recorder;
- the graph of the result remembers the operators that made it.

The kernels of ``softmax_probes`` are a fourth. A recording has marks at both ends. One that was stopped or restarted in
between lacks them, and does not count.
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

from autograder.worker import softmax_probes

AUTOGRAD: Any = torch._C._autograd
# Called in this way, they cause no event themselves.
HOOK: Any = functools.partial(sys.getprofile)
UNHOOK: Any = functools.partial(sys.setprofile, None)
START, STOP = AUTOGRAD._enable_profiler_legacy, AUTOGRAD._disable_profiler_legacy
ENTER, LEAVE = AUTOGRAD._record_function_with_args_enter, AUTOGRAD._record_function_with_args_exit
CONFIG = profile().config()  # type: ignore[no-untyped-call]  # of torch
WHOLE, INTERRUPTED = "recording::whole", "recording::interrupted"
# The recording also has autograd functions of students, under any name.
LIBRARIES = ("aten::", "prim::", "prims::", "quantized::", "_quantized::", "mkldnn::", "onednn::")
MAX_NAME, MAX_MODULE = 130, 60  # characters; together they are a name that can travel
NODES = 20_000  # maximum visited in a graph

# The Python calls to record. There may be thousands of others, which mean nothing.
TELLING = re.compile(
    r"soft_?m(ax|in)|log_?(cum)?_?sum_?exp|multi_?head|dot_?product|(flex|flash|efficient)_?attention|vjp|jvp"
    r"|backward|\bgrad\b|jac(rev|fwd)|make_dual|[gs]etprofile|profiler|enable_record_function|_clear_callbacks",
    re.IGNORECASE,
)
ASKING = re.compile(r"(^|\.)(is|has|can|should)_\w+$")  # such calls only ask, and use nothing
# Ready-made attention is forbidden only from torch. Other libraries build it of a softmax and products.
ATTENTION = re.compile(r"multi_?head|dot_?product|attention", re.IGNORECASE)
Names = Counter[str]  # how often each ran
Hook = Callable[[types.FrameType, str, Any], None]


@functools.lru_cache(maxsize=4096)
def _telling(name: str) -> bool:
    return TELLING.search(name) is not None and not ASKING.search(name)


def _hook(names: set[str]) -> Hook:
    """Return a hook that adds the calls of libraries that TELLING matches to ``names``.

    A library's file has an absolute path, a student's has not. The names of students' own functions mean nothing.
    """

    def hook(frame: types.FrameType, event: str, arg: Any) -> None:
        if event == "call":
            name = frame.f_code.co_qualname[:MAX_NAME]
            if _telling(name) and _of_library(frame):
                module = str(frame.f_globals.get("__name__"))
                if module.startswith("torch") or not ATTENTION.search(name):
                    names.add(f"{module[:MAX_MODULE]}.{name}")
        elif event == "c_call" and _telling(arg.__name__):
            names.add(f"{arg.__module__ or 'torch'}.{arg.__name__}")

    return hook


def _of_library(frame: types.FrameType) -> bool:
    """Return whether this is a call of a library's function, outside any import."""
    if not os.path.isabs(frame.f_code.co_filename) or not frame.f_code.co_flags & inspect.CO_OPTIMIZED:
        return False  # a student's function, or the body of a class
    above = frame.f_back
    while above is not None and os.path.isabs(above.f_code.co_filename):
        above = above.f_back
    return above is None or not above.f_code.co_filename.startswith("<frozen importlib")


@contextlib.contextmanager
def operations(
    names: Names, watched: softmax_probes.SoftmaxProbes | None = None, recorded: bool = True
) -> Iterator[None]:
    """Add to ``names`` what runs inside: ``aten::softmax``, ``autograd::engine``,
    ``torch.nn.functional.multi_head_attention_forward``. Adds WHOLE, or INTERRUPTED if something stopped a recorder.

    If not ``recorded``, does without torch's profiler, which takes as long as what it observes.
    """
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
    """Start torch's profiler, and return a function that stops it and returns what it saw."""
    first, last = secrets.token_hex(8), secrets.token_hex(8)
    stop, leave, enter = STOP, LEAVE, ENTER

    def finish() -> Names:
        leave(enter(last))
        try:
            every = [name for thread in stop() for event in thread if (name := event.name())]
        except RuntimeError:  # the submission has stopped it
            return Counter([INTERRUPTED])
        names = Counter(name for name in every if name.startswith(LIBRARIES))
        if any(name.startswith("autograd::engine") for name in every):
            names.update(["autograd::engine"])
        # torch adds its own marks at the very ends.
        whole = every[:2] == ["__start_profile", first] and every[-2:] == [last, "__stop_profile"]
        return names if whole else names + Counter([INTERRUPTED])

    START(CONFIG)
    leave(enter(first))
    return finish


def graph(result: Any) -> set[str]:
    """Return the operators in the graph of a result, as ``graph::Softmax``, without a student's own."""
    tensors = result if isinstance(result, (tuple, list)) else [result]
    waiting = [x.grad_fn for x in tensors if isinstance(x, torch.Tensor) and x.grad_fn is not None]
    seen: set[Any] = set(waiting)
    while waiting and len(seen) < NODES:
        new = {node for node, _ in waiting.pop().next_functions if node is not None} - seen
        seen |= new
        waiting.extend(new)
    library = (node for node in seen if not hasattr(node, "_forward_cls"))
    return {"graph::" + re.sub(r"Backward\d*$", "", node.name()) for node in library}


def warm() -> None:
    """Pay for the first use before the server forks. Raises RuntimeError if a recorder does not work."""
    watched, names = softmax_probes.SoftmaxProbes(), Names()
    watched.watch("softmax")
    with operations(names, watched):
        weights = torch.softmax(torch.zeros(2, requires_grad=True), 0)
    watched.watch("")
    names.update(graph(weights))
    missing = {"aten::softmax", "torch.softmax", "aten::_softmax", "graph::Softmax"} - names.keys()
    if missing or WHOLE not in names:
        raise RuntimeError(f"this release of torch cannot be traced: it does not show {sorted(missing)}")
