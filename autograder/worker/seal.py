"""Puts the worker's own code back where a submission has replaced it.

A submission shares its process with the code that reports on it, and can reach it: ``sys.modules`` is one way. So
before each program, and after each call, everything is as it was before the submission was loaded. What a
submission does with frames, or from C, can't be undone so; the grader looks for that in its source.
"""

from __future__ import annotations

import builtins
import gc
import itertools
import operator
import signal
import sys
import types
from collections.abc import Callable, Iterator, Mapping
from typing import Any

OURS = ("autograder.worker", "autograder.wire", "autograder.model")
# Of the model, what has no part in answers.
NOT_HERE = tuple(f"autograder.model.{part}" for part in ("checks", "grades", "words", "work"))
BUILTINS = (
    "any", "bool", "bytes", "dict", "enumerate", "float", "getattr", "hasattr", "id", "int", "isinstance", "iter",
    "len", "list", "max", "min", "next", "repr", "set", "sorted", "str", "sum", "super", "tuple", "type", "vars", "zip",
)  # fmt: skip  # those that the worker uses; others are the submission's own business
PARTS = ("__code__", "__defaults__", "__kwdefaults__")
CACHES = {
    "__annotations__",
    "__annotations_cache__",
    "__warningregistry__",
    "__msgspec_cache__",
}  # made when needed
MISSING = object()


def sealed() -> Callable[[], None]:
    """Remembers what there is, and returns what restores it. That is to be kept in a local variable."""
    modules = [
        module
        for name, module in list(sys.modules.items())
        if name.startswith(OURS) and name not in NOT_HERE and module is not None
    ]
    owners: list[Any] = [*modules]
    for module in modules:
        owners.extend(found for found in vars(module).values() if _class_of(found, module))
    kept = [(owner, vars(owner), dict(vars(owner))) for owner in owners]
    some = {name: vars(builtins)[name] for name in BUILTINS}
    functions = list({id(one): one for _, _, held in kept for one in _functions(held)}.values())
    parts = [_part(functions, name) for name in PARTS]
    # Bound here, so that they are what they are now. ``same`` goes through all in C, and all owners in one go where
    # none has more or fewer names than it had: this runs after every call.
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
    """One part of those functions that have it: to one without defaults, all is given whenever it is called."""
    those = [one for one in functions if getattr(one, name) is not None]
    return operator.attrgetter(name), those, [getattr(one, name) for one in those], name


def _mend(owner: Any, there: Mapping[str, Any], held: dict[str, Any]) -> None:
    for name in there.keys() - held.keys() - CACHES:  # a new name could hide a builtin or a method
        delattr(owner, name)
    for name, value in held.items():
        if there.get(name, MISSING) is not value:
            setattr(owner, name, value)


def quiet() -> None:
    """Takes away what a submission may have left behind to run in the midst of our own code."""
    sys.setprofile(None)
    sys.settrace(None)
    gc.callbacks.clear()
    if hasattr(signal, "setitimer"):
        signal.setitimer(signal.ITIMER_REAL, 0)


def _class_of(found: Any, module: types.ModuleType) -> bool:
    return isinstance(found, type) and found.__module__ == module.__name__


def _functions(held: dict[str, Any]) -> Iterator[types.FunctionType]:
    for value in held.values():
        plain = getattr(value, "__func__", value)  # of a static method
        if isinstance(plain, types.FunctionType) and plain.__module__.startswith(OURS):
            yield plain
