"""Restores the worker's own code after a submission has replaced parts of it.

A submission shares its process with the code that reports on it, and can reach that code, for example in
``sys.modules``. So the worker restores its code before each program and after each observed call. It cannot undo
changes made through frames or from C. The grader looks for these in the source.
"""

from __future__ import annotations

import builtins
import itertools
import operator
import signal
import sys
import types
from collections.abc import Callable, Iterator, Mapping
from gc import callbacks, disable
from sys import setprofile, settrace
from typing import Any

OURS = ("autograder.worker", "autograder.protocol", "signal")
# The builtins that the worker uses. Others are the submission's own business.
USED = """
any bool bytes dict enumerate float getattr hasattr id int isinstance iter len list max min next repr set
sorted str sum super tuple type vars zip
"""
BUILTINS = USED.split()
PARTS = ("__code__", "__defaults__", "__kwdefaults__")
CACHES = {"__annotations__", "__annotations_cache__", "__warningregistry__", "__msgspec_cache__"}  # made on first use
MISSING = object()
monitoring: Any = getattr(sys, "monitoring", None)  # since Python 3.12
get_tool: Any = getattr(monitoring, "get_tool", None)
free_tool: Any = getattr(monitoring, "free_tool_id", None)
SIGNALS = {"ITIMER_REAL": "SIGALRM", "ITIMER_VIRTUAL": "SIGVTALRM", "ITIMER_PROF": "SIGPROF"}
# Each timer with its signal; Windows has none.
TIMERS = [(getattr(signal, timer), getattr(signal, name)) for timer, name in SIGNALS.items() if hasattr(signal, timer)]


def snapshot() -> Callable[[], None]:
    """Record the worker's code, and return a function that restores it. Keep that in a local variable."""
    modules = [module for name, module in list(sys.modules.items()) if name.startswith(OURS) and module is not None]
    owners: list[Any] = [*modules]
    for module in modules:
        owners.extend(found for found in vars(module).values() if _class_of(found, module))
    kept = [(owner, vars(owner), dict(vars(owner))) for owner in owners]
    some = {name: vars(builtins)[name] for name in BUILTINS}
    functions = list({id(one): one for _, _, held in kept for one in _functions(held)}.values())
    parts = [_part(functions, name) for name in PARTS]
    # Local names, which a submission cannot replace. This runs after every observed call, so it compares all values of
    # all owners at once in C, if no owner has more or fewer names than before.
    same, equal, every, each = operator.is_, operator.eq, all, map
    size, put, join = len, setattr, itertools.chain.from_iterable
    plain = [(owner, there, tuple(held.values()), held) for owner, there, held in kept]
    now, sizes = [there.values() for _, there, _ in kept], [len(held) for _, _, held in kept]
    before = [value for _, _, values, _ in plain for value in values]
    real, mend = vars(builtins), _mend

    def restore() -> None:
        for name, value in some.items():
            if real[name] is not value:
                real[name] = value
        for get, those, codes, name in parts:
            if not every(each(same, each(get, those), codes)):
                for function, code in zip(those, codes, strict=True):
                    put(function, name, code)
        if every(each(equal, each(size, now), sizes)) and every(each(same, join(now), before)):
            return
        for owner, there, values, held in plain:
            if size(there) != size(values) or not every(each(same, there.values(), values)):
                mend(owner, there, held)

    return restore


def _part(
    functions: list[types.FunctionType], name: str
) -> tuple[Callable[[Any], Any], list[types.FunctionType], list[Any], str]:
    """Return a getter, the functions that have this part, and their parts. One without defaults needs no restoring."""
    those = [one for one in functions if getattr(one, name) is not None]
    return operator.attrgetter(name), those, [getattr(one, name) for one in those], name


def _mend(owner: Any, there: Mapping[str, Any], held: dict[str, Any]) -> None:
    for name in there.keys() - held.keys() - CACHES:  # a new name can hide a builtin or a method
        delattr(owner, name)
    for name, value in held.items():
        if there.get(name, MISSING) is not value:
            setattr(owner, name, value)


def remove_hooks() -> None:
    """Remove hooks by which a submission could run inside the worker's own code, or while it waits.

    Names of this module are used, which ``restore`` has restored: a submission can replace those of ``sys``.

    A garbage collection runs a submission's ``__del__``, so it happens only during calls. A signal that came just
    before its timer is stopped would still run a handler, which could start the timer again. So it is ignored first.
    """
    disable()
    callbacks.clear()
    setprofile(None)
    settrace(None)
    for timer, number in TIMERS:
        signal.signal(number, signal.SIG_IGN)
        signal.setitimer(timer, 0)
        signal.signal(number, signal.SIG_DFL)
    for tool in range(6) if get_tool else ():
        if get_tool(tool) is not None:
            free_tool(tool)


def _class_of(found: Any, module: types.ModuleType) -> bool:
    return isinstance(found, type) and found.__module__ == module.__name__


def _functions(held: dict[str, Any]) -> Iterator[types.FunctionType]:
    for value in held.values():
        plain = getattr(value, "__func__", value)  # the function of a static method
        if isinstance(plain, types.FunctionType) and plain.__module__.startswith(OURS):
            yield plain
