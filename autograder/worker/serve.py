"""The main loop of a worker: one source file, then programs until the grader closes the connection."""

from __future__ import annotations

import random
import sys
import types
import warnings
from collections.abc import Callable
from typing import Any

import msgspec
import numpy as np
import torch

from autograder import protocol
from autograder.protocol import wire
from autograder.worker import describe, fast_torch, imports, memory
from autograder.worker.integrity import remove_hooks, snapshot
from autograder.worker.interpreter import Interpreter
from autograder.worker.loading import load
from autograder.worker.softmax_probes import SoftmaxProbes

REQUEST: Any = protocol.Load | protocol.Ask
REQUEST_LIMIT = 1 << 30  # the grader is trusted; this only limits the damage of a broken header
# Bound here, because a submission can replace what these libraries hold.
SEED_CPU, SEED_NUMPY, SEED_PYTHON = torch.default_generator.manual_seed, np.random.seed, random.seed


def warm() -> None:
    """Do once, for all workers forked later, what takes milliseconds.

    At the first request msgspec inspects the types of all requests, and at the first seed torch its devices.
    """
    wire.decode(msgspec.msgpack.encode(protocol.Load("", "", "script", "", (), 0.0)), REQUEST)
    fix_chance(0)


def fix_chance(number: int, device: str = "") -> None:
    """Seed all generators that torch, NumPy and Python draw from by default, so that a grade does not depend on luck.

    The weights that no question loads are drawn, and so is noise. ``torch.manual_seed`` takes eighty times as long as
    the generator of the CPU alone, so only other devices than these need it.
    """
    seed = SEED_CPU if device in ("cpu", "meta") else torch.manual_seed
    seed(number)
    SEED_NUMPY(number)
    SEED_PYTHON(number)


def serve(stream: wire.Stream, restore: Callable[[], None] | None = None) -> None:
    """Answer requests one after another, until the grader closes its end.

    ``restore`` is the result of ``snapshot`` in the process from which this one was forked, before any submission ran.
    A snapshot costs more than a fork.
    """
    printed = describe.Printed()
    sys.stdout, sys.stderr = printed.text(), printed.text()
    warnings.simplefilter("default")
    imports.install()
    fast_torch.defer_compiler()
    module = types.ModuleType("empty")
    filename = ""
    probes, restore, waiting = SoftmaxProbes(), restore or snapshot(), bytearray()
    before = memory.peak()  # nothing of the submission has run
    while True:
        try:
            request: protocol.Load | protocol.Ask = wire.receive(stream, REQUEST, REQUEST_LIMIT)
        except wire.Closed:
            return
        if isinstance(request, protocol.Load):
            filename = request.filename
            fix_chance(0)
            module, trouble, cell_errors = load(request)
            answer: protocol.Loaded | protocol.Answer = protocol.Loaded(
                request.nonce, trouble, cell_errors, printed.take()
            )
        else:
            fix_chance(request.program.chance, request.program.device)
            results = Interpreter(module, filename, request.program, probes, restore, before=before).run()
            answer = protocol.Answer(request.nonce, results, printed.take())
        restore()
        remove_hooks()
        waiting += wire.encode(answer)
        if not getattr(request, "more", False) or len(waiting) > wire.AT_ONCE:
            stream.write(bytes(waiting))
            waiting.clear()
