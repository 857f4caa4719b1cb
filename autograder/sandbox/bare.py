"""How a Python that may run student code is started: with what it needs, and nothing of the grader's."""

from __future__ import annotations

import os
import sys

import msgspec

from autograder.sandbox import setup

# A Python without site-packages' .pth files, whose ``autograder`` holds only what is imported before the
# first student arrives; an editable installation would otherwise put ``reference`` on its path.
BOOTSTRAP = """
import gc, importlib, json, site, sys, types
module, package, paths, argument, setup = sys.argv[1:]
sys.path += json.loads(paths)
sys.modules["autograder"] = types.ModuleType("autograder")
sys.modules["autograder"].__path__ = [package]
sys.argv = [""]
sys.modules["matplotlib"] = None  # ours; it wants a folder to write to, and others import it where it is there
site.setquit()
from autograder.sandbox import confine, namespaces
from autograder.sandbox.setup import Setup
setup = Setup.read(setup)
if module != "probe":  # which tries for itself what can be put up
    confine.die_with_parent()
    if "namespaces" in setup.layers:  # before torch is imported: what stays behind, and waits, is small
        namespaces.enter()
gc.disable()  # torch's thousand modules hold no garbage that it would be worth to look for
module = importlib.import_module("autograder.sandbox." + module)
gc.enable()
module.start(argument, setup)
"""

ENVIRONMENT = {
    "PATH": "/usr/bin:/bin",
    "HOME": "/nonexistent",
    "LANG": "C.UTF-8",
    "PYTHONHASHSEED": "0",  # the order of a student's sets is the same in every run
    "PYTHONDONTWRITEBYTECODE": "1",
    "OMP_NUM_THREADS": "1",  # one thread: a forked child of a process with two can hang
    "MKL_NUM_THREADS": "1",
    "OPENBLAS_NUM_THREADS": "1",
    "GLIBC_TUNABLES": "glibc.malloc.hugetlb=1",  # large pages: a fork copies their table, and its end goes through it
    "TORCHINDUCTOR_CACHE_DIR": "/",  # torch makes that folder when some of its parts are imported: one there is
}
KEPT = (
    "SYSTEMROOT",
    "LD_LIBRARY_PATH",
    "DYLD_LIBRARY_PATH",
)  # without them Python can't start where they are set


def command(module: str, told: setup.Setup, argument: str = "") -> list[str]:
    """The command line that runs ``autograder.sandbox.<module>`` in a bare Python."""
    paths = msgspec.json.encode(setup.import_paths()).decode()
    words = [module, str(setup.PACKAGE), paths, argument, told.written()]
    return [sys.executable, "-s", "-S", "-P", "-c", BOOTSTRAP, *words]


def environment() -> dict[str, str]:
    """The variables that such a Python gets, whatever the grader's own are."""
    return ENVIRONMENT | {name: os.environ[name] for name in KEPT if name in os.environ}
