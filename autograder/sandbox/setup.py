"""What the grader tells a Python that is to run student code: how much it may use, and what it may see."""

from __future__ import annotations

import importlib.util
import os
import sys
import sysconfig
from pathlib import Path

import msgspec

from autograder.sandbox.limits import Limits

PACKAGE = Path(__file__).resolve().parent.parent
NEEDED = ("torch", "numpy", "msgspec", "typing_extensions", "sympy", "py_landlock")
LIBRARIES = ("/lib", "/lib64", "/usr/lib", "/usr/lib64", "/usr/local/lib", "/etc/ld.so.cache")


class Setup(msgspec.Struct, frozen=True):
    """``layers`` are names of ``layers.LAYERS``; ``calls`` is the compiled filter of system calls; ``view`` the files
    and folders that can be read; ``scratch`` an empty folder of this Python's own."""

    limits: Limits
    layers: tuple[str, ...] = ()
    calls: bytes = b""
    view: tuple[str, ...] = ()
    scratch: str = ""
    optimizers: bool = False

    def written(self) -> str:
        """As an argument of a command."""
        return msgspec.json.encode(self).decode()

    @classmethod
    def read(cls, text: str) -> Setup:
        """See written."""
        return msgspec.json.decode(text, type=cls)


def import_paths() -> list[str]:
    """The folders that hold what a worker imports besides the standard library."""
    origins = (importlib.util.find_spec(name) for name in NEEDED)
    files = [Path(spec.origin) for spec in origins if spec and spec.origin]
    return sorted({str(file.parent.parent if file.name == "__init__.py" else file.parent) for file in files})


def view() -> tuple[str, ...]:
    """What a worker may read: the standard library, the packages, and the libraries that both load."""
    python = {sysconfig.get_path(name) for name in ("stdlib", "platstdlib")}
    shared = {sysconfig.get_config_var("LIBDIR") or "", os.path.join(sys.base_prefix, "lib")}
    paths = {*python, *shared, *import_paths(), *LIBRARIES}
    real = {os.path.realpath(path) for path in paths}  # a link in the one leads to the other
    return tuple(sorted(path for path in paths | real if path and os.path.exists(path)))


def exposed() -> str:
    """What a worker could read although it must not, for it lies within the view; empty where nothing does."""
    secret = (PACKAGE.parent / name for name in ("reference", "solutions", "autograder/specs/hidden"))
    return next((str(path) for path in secret if path.is_dir() and _within(path)), "")


def _within(path: Path) -> bool:
    return any(path.resolve().is_relative_to(shown) for shown in view())
