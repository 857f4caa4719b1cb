"""A worker of its own for one submission: what a laptop uses, on every platform.

It speaks over its standard input and output, which student code never sees: both are moved
away and replaced by the null device before the file is loaded.
"""

from __future__ import annotations

import os
import sys

import msgspec
import torch

from autograder import wire
from autograder.sandbox import confine, control
from autograder.sandbox.limits import Limits
from autograder.worker import serve


def start(arguments: list[str]) -> None:
    """Entry point; the bootstrap in ``launch`` passes the limits and a folder."""
    limits, scratch = arguments
    torch.set_num_threads(1)
    stream = wire.Stream(os.dup(0), os.dup(1))
    confine.silence()
    sys.modules["autograder"].__path__ = []  # nothing more of the grader can be imported from here on
    if os.name == "posix":
        confine.confine(msgspec.json.decode(limits, type=Limits), scratch)
    stream.write(control.READY)
    serve.serve(stream)
    os._exit(0)  # whatever the submission left running or registered ends here
