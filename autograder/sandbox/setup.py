"""What the grader tells a Python that is to run student code: how much it may use, and what it may see."""

from __future__ import annotations

import functools
import glob
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
DRIVER = ("/proc/driver/nvidia", "/proc/devices", "/sys/bus/pci", "/sys/devices")  # what libcuda reads


class Setup(msgspec.Struct, frozen=True):
    """``layers`` are names of ``layers.LAYERS``; ``calls`` is the compiled filter of system calls; ``view`` the files
    and folders that can be read; ``scratch`` an empty folder of this Python's own; ``device`` where tensors live."""

    limits: Limits
    layers: tuple[str, ...] = ()
    calls: bytes = b""
    view: tuple[str, ...] = ()
    scratch: str = ""
    device: str = "cpu"

    def written(self) -> str:
        """As an argument of a command."""
        return msgspec.json.encode(self).decode()

    @classmethod
    def read(cls, text: str) -> Setup:
        """See written."""
        return msgspec.json.decode(text, type=cls)


@functools.cache
def import_paths() -> tuple[str, ...]:
    """The folders that hold what a worker imports besides the standard library."""
    origins = (importlib.util.find_spec(name) for name in NEEDED)
    files = [Path(spec.origin) for spec in origins if spec and spec.origin]
    return tuple(sorted({str(f.parent.parent if f.name == "__init__.py" else f.parent) for f in files}))


def devices(device: str) -> tuple[str, ...]:
    """What a process opens for reading and writing to use a device: for CUDA the driver's own files."""
    return tuple(sorted(glob.glob("/dev/nvidia*"))) if device == "cuda" else ()


def view(device: str = "cpu") -> tuple[str, ...]:
    """What a worker may read: the standard library, the packages, and the libraries that both load."""
    python = {sysconfig.get_path(name) for name in ("stdlib", "platstdlib")}
    shared = {sysconfig.get_config_var("LIBDIR") or "", os.path.join(sys.base_prefix, "lib")}
    paths = {*python, *shared, *import_paths(), *LIBRARIES, *(DRIVER if device == "cuda" else ())}
    real = {os.path.realpath(path) for path in paths}  # a link in the one leads to the other
    return tuple(sorted(path for path in paths | real if path and os.path.exists(path)))


def exposed() -> str:
    """What a worker could read although it must not, for it lies within the view; empty where nothing does."""
    shown = view()
    for name in ("reference", "solutions", "autograder/specs/hidden"):
        secret = PACKAGE.parent / name
        if secret.is_dir() and any(secret.resolve().is_relative_to(path) for path in shown):
            return str(secret)
    return ""
