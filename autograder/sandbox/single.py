"""A worker in a Python of its own for one submission. Laptops use it, on every platform.

It talks over its standard input and output. Student code never sees these: before it loads the file, the worker
moves both to other descriptors and opens the null device in their place.
"""

from __future__ import annotations

import os
import sys

from autograder.protocol import wire
from autograder.sandbox import commands, confine
from autograder.sandbox.config import Setup
from autograder.worker import cuda, one_thread, serve


def start(_: str, setup: Setup) -> None:
    """Entry point."""
    confine.offer_memory()
    one_thread.only_one()
    stream = wire.Stream(os.dup(0), os.dup(1))
    confine.silence()
    sys.modules["autograder"].__path__ = []  # from here on the grader cannot be imported
    if os.name == "posix":
        _confine(setup)
    if setup.device == "cuda":
        cuda.warm()
    stream.write(commands.READY)
    serve.serve(stream)
    os._exit(0)  # ends whatever the submission has left running or registered


def _confine(setup: Setup) -> None:
    try:
        mapped, rules = confine.mapped_bytes(), confine.prepare(setup)
        if "namespaces" in setup.layers:
            confine.change_root(setup)
            confine.silence()  # with the null device of the new root
        confine.confine(setup, rules, mapped)
    except BaseException:
        os._exit(commands.UNCONFINED)
