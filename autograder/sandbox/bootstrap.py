"""The command line and environment of a Python that may run student code. It gets nothing else of the grader's."""

from __future__ import annotations

import sys

import msgspec

from autograder.sandbox import config

# This Python reads no .pth files of site-packages: an editable installation would put ``reference`` on its path.
# Its ``autograder`` holds only what is imported before the first submission.
BOOTSTRAP = """
import gc, importlib, json, site, sys, types
module, package, paths, argument, setup = sys.argv[1:]
sys.path += json.loads(paths)
sys.modules["autograder"] = types.ModuleType("autograder")
sys.modules["autograder"].__path__ = [package]
sys.argv = [""]
sys.modules["matplotlib"] = None  # it needs a folder to write to, and other packages import it if it is installed
site.setquit()
from autograder.sandbox import confine, namespaces
from autograder.sandbox.config import Setup
setup = Setup.read(setup)
if module != "probe":  # the probe tries the layers itself
    confine.die_with_parent()
    if "namespaces" in setup.layers:  # before torch is imported: the process that stays behind and waits is small
        namespaces.enter()
gc.disable()  # importing torch makes no garbage worth looking for
module = importlib.import_module("autograder.sandbox." + module)
gc.enable()
module.start(argument, setup)
"""


def command(module: str, setup: config.Setup, argument: str = "") -> list[str]:
    """Return the command line that runs ``autograder.sandbox.<module>`` in such a Python."""
    paths = msgspec.json.encode(config.import_paths()).decode()
    words = [module, str(config.PACKAGE), paths, argument, setup.written()]
    return [sys.executable, "-s", "-S", "-P", "-c", BOOTSTRAP, *words]
