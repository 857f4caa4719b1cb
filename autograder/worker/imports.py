"""What a submission may import: torch, numpy and the standard library (contract, section 3).

Pictures, tables and progress bars change no result, so the modules that make them are inert stand-ins, installed or
not. Any other import is an error with the name of the module. This is no security boundary: it makes every machine
treat the same file in the same way.
"""

from __future__ import annotations

import builtins
import dis
import importlib.abc
import inspect
import sys
import types
from collections.abc import Iterable, Iterator, Mapping, Sequence
from importlib.machinery import ModuleSpec
from typing import Any

INERT = frozenset({"matplotlib", "mpl_toolkits", "pandas", "tqdm", "IPython", "otter"})
ALLOWED = INERT | sys.stdlib_module_names | {"torch", "numpy", "autograder"}
REFUSED = "only torch, numpy and the standard library may be imported; {} is not"


class Inert:
    """Accepts every use, and does nothing: ``fig, axes = plt.subplots(2, 2)``, ``axes[0, 1].plot(x)``.

    It has as many items as it is unpacked into, and none in a loop.
    """

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        pass

    def __getattr__(self, name: str) -> Any:
        if name.startswith("__"):  # what Python itself looks for
            raise AttributeError(name)
        return Inert()

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        return Inert()

    def __iter__(self) -> Iterator[Any]:
        return iter([Inert() for _ in range(_unpacked_into(inspect.currentframe()))])

    def __mro_entries__(self, bases: tuple[Any, ...]) -> tuple[type, ...]:
        return (Inert,)

    def __enter__(self) -> Inert:
        return self

    def __exit__(self, *error: object) -> None:
        return None

    def __len__(self) -> int:
        return 0

    def __bool__(self) -> bool:
        return True

    def __float__(self) -> float:
        return 0.0

    def __setitem__(self, key: object, value: object) -> None:
        pass

    def _inert(self, *others: object) -> Inert:
        return Inert()

    __getitem__ = __lt__ = __le__ = __gt__ = __ge__ = _inert
    __add__ = __radd__ = __sub__ = __rsub__ = __mul__ = __rmul__ = __truediv__ = __rtruediv__ = _inert
    __pow__ = __neg__ = __and__ = __or__ = __invert__ = _inert


class ProgressBar(Inert):
    """Yields what it is given: ``for batch in tqdm(batches)``."""

    def __init__(self, iterable: Iterable[Any] = (), *args: Any, **kwargs: Any) -> None:
        self._iterable = iterable

    def __iter__(self) -> Iterator[Any]:
        return iter(self._iterable)


def _counting(*args: Any, **kwargs: Any) -> ProgressBar:
    """``trange``."""
    return ProgressBar(range(*args))


class _InertModule(types.ModuleType):
    """A module or package whose attributes are all inert, but for progress bars."""

    def __getattr__(self, name: str) -> Any:
        if name.startswith("__"):
            raise AttributeError(name)
        if self.__name__.startswith("tqdm"):
            return {"trange": _counting, "tnrange": _counting}.get(name, ProgressBar)
        return Inert()


class _InertModules(importlib.abc.MetaPathFinder, importlib.abc.Loader):
    """Finds the modules that are replaced by inert ones, and all below them."""

    def find_spec(self, name: str, path: Sequence[str] | None, target: types.ModuleType | None = None) -> Any:
        return ModuleSpec(name, self, is_package=True) if _root(name) in INERT else None

    def create_module(self, spec: ModuleSpec) -> types.ModuleType:
        return _InertModule(spec.name)

    def exec_module(self, module: types.ModuleType) -> None:
        pass


def install() -> None:
    """Replace the modules of ``INERT``, imported or not, in this process and those that it forks."""
    if any(isinstance(finder, _InertModules) for finder in sys.meta_path):
        return
    for name in [name for name in sys.modules if _root(name) in INERT]:
        del sys.modules[name]
    sys.meta_path.insert(0, _InertModules())


def students_builtins(own: str) -> dict[str, Any]:
    """Return builtins for a submission's module of the name ``own``, whose ``import`` refuses other modules."""
    allowed = ALLOWED | {own, "__main__"}

    def restricted(
        name: str,
        globals: Mapping[str, object] | None = None,
        locals: Mapping[str, object] | None = None,
        fromlist: Sequence[str] | None = (),
        level: int = 0,
    ) -> types.ModuleType:
        if level == 0 and _root(name) not in allowed:
            raise ModuleNotFoundError(REFUSED.format(_root(name)), name=_root(name))
        return builtins.__import__(name, globals, locals, fromlist or (), level)

    return vars(builtins) | {"__import__": restricted}


def _root(name: str) -> str:
    return name.partition(".")[0]


def _unpacked_into(frame: types.FrameType | None) -> int:
    """Return how many names the caller of this frame unpacks into; 0 if it does not unpack."""
    caller = frame.f_back if frame else None
    if caller is None:
        return 0
    for instruction in dis.get_instructions(caller.f_code):
        if instruction.offset == caller.f_lasti:
            return instruction.arg or 0 if instruction.opname == "UNPACK_SEQUENCE" else 0
    return 0
