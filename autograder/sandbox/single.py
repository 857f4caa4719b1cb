"""A worker of its own for one submission: what a laptop uses, on every platform.

It speaks over its standard input and output, which student code never sees: both are moved
away and replaced by the null device before the file is loaded.
"""

from __future__ import annotations

import os
import sys

from autograder import wire
from autograder.sandbox import confine, control, namespaces
from autograder.sandbox.setup import Setup, devices
from autograder.worker import one_thread, serve


def start(_: str, setup: Setup) -> None:
    """Entry point; the bootstrap in ``bare`` passes what is to be put up."""
    one_thread.only_one()
    stream = wire.Stream(os.dup(0), os.dup(1))
    confine.silence()
    sys.modules["autograder"].__path__ = []  # nothing more of the grader can be imported from here on
    if os.name == "posix":
        _confine(setup)
    stream.write(control.READY)
    serve.serve(stream)
    os._exit(0)  # whatever the submission left running or registered ends here


def _confine(setup: Setup) -> None:
    try:
        mapped, rules = confine.mapped_bytes(), confine.prepare(setup)
        if "namespaces" in setup.layers:
            namespaces.change_root(setup.view, setup.scratch, devices(setup.device))
            confine.silence()  # with the null device of this root
        confine.confine(setup, rules, mapped)
    except BaseException:
        os._exit(control.UNCONFINED)
