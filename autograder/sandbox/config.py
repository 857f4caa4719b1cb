"""The setup of a Python that runs student code: how much it may use, and what it may read."""

from __future__ import annotations

import ctypes
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
COURSE = "attngrade_course"  # whose modules are a course's assignments: the same as in ``assignments.places``
# what libcuda reads
DRIVER = (
    *("/proc/driver/nvidia", "/proc/devices", "/proc/cpuinfo", "/proc/meminfo", "/proc/sys/vm/mmap_min_addr"),
    *("/sys/bus/pci", "/sys/devices", "/sys/module/nvidia", "/sys/module/nvidia_uvm"),
)
LIBCUDA = "libcuda.so.1"  # comes with the driver; containers often keep it in a folder of its own


class Setup(msgspec.Struct, frozen=True):
    """How a Python confines itself and its workers."""

    limits: Limits
    layers: tuple[str, ...] = ()  # names from ``layers.LAYERS``
    calls: bytes = b""  # the compiled filter of system calls
    view: tuple[str, ...] = ()  # readable files and folders
    scratch: str = ""  # an empty folder of this Python's own
    device: str = "cpu"  # where tensors live

    def written(self) -> str:
        """Return it as an argument of a command line."""
        return msgspec.json.encode(self).decode()

    @classmethod
    def read(cls, text: str) -> Setup:
        """Return the setup that ``written`` wrote."""
        return msgspec.json.decode(text, type=cls)


@functools.cache
def import_paths() -> tuple[str, ...]:
    """Return the folders of the packages that a worker imports, besides the standard library."""
    origins = (importlib.util.find_spec(name) for name in NEEDED)
    files = [Path(spec.origin) for spec in origins if spec and spec.origin]
    return tuple(sorted({str(f.parent.parent if f.name == "__init__.py" else f.parent) for f in files}))


def devices(device: str) -> tuple[str, ...]:
    """Return the files that a process opens for reading and writing to use a device: for CUDA the driver's own."""
    return tuple(sorted(glob.glob("/dev/nvidia*"))) if device == "cuda" else ()


@functools.cache
def driver_files() -> tuple[str, ...]:
    """Return what a worker must read to use CUDA: facts about the devices, and the folder of the driver's library."""
    try:
        ctypes.CDLL(LIBCUDA)
    except OSError:
        return DRIVER
    name = LIBCUDA.removesuffix(".1")  # its file has the driver's version behind this
    with open("/proc/self/maps") as file:
        mapped = [line.split(maxsplit=5)[-1].strip() for line in file if f"/{name}" in line]
    searched = os.environ.get("LD_LIBRARY_PATH", "").split(":")  # may lead there by links
    links = [folder for folder in searched if os.path.isabs(folder) and os.path.exists(f"{folder}/{LIBCUDA}")]
    return (*DRIVER, *sorted({*map(os.path.dirname, mapped), *links}))


def view(device: str = "cpu") -> tuple[str, ...]:
    """Return what a worker may read: the standard library, its packages, and the libraries that both load."""
    python = {sysconfig.get_path(name) for name in ("stdlib", "platstdlib")}
    shared = {sysconfig.get_config_var("LIBDIR") or "", os.path.join(sys.base_prefix, "lib")}
    paths = {*python, *shared, *import_paths(), *LIBRARIES, *(driver_files() if device == "cuda" else ())}
    real = {os.path.realpath(path) for path in paths}  # some paths are links to others
    return tuple(sorted(path for path in paths | real if path and os.path.exists(path)))


def exposed(device: str = "cpu") -> str:
    """Return a secret folder that lies within the view, so that workers could read it; empty if none does."""
    shown = view(device)
    secrets = [PACKAGE.parent / name for name in ("reference", "solutions")]
    secrets += [PACKAGE / "instructor", *sorted(PACKAGE.glob("assignments/**/hidden"))]
    course = getattr(sys.modules.get(COURSE), "__path__", ())
    secrets += sorted({path.parent for folder in course for path in Path(folder).glob("*/reference.py")})
    for secret in secrets:
        if secret.is_dir() and any(secret.resolve().is_relative_to(path) for path in shown):
            return str(secret)
    return ""
