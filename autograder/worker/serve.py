"""A worker's whole life: one source file, then programs until the grader closes the connection."""

from __future__ import annotations

import sys
import types
import warnings
from collections.abc import Callable
from typing import Any

import msgspec

from autograder import model, wire
from autograder.worker import compiler, observe
from autograder.worker.kernels import Kernels
from autograder.worker.loading import load, put_aside_tools
from autograder.worker.seal import quiet, sealed
from autograder.worker.steps import Conversation

REQUEST: Any = model.Load | model.Ask
REQUEST_LIMIT = 1 << 30  # the grader is trusted; this only keeps a broken header from asking for everything


def warm() -> None:
    """Has msgspec look at the types of all that a request may hold, which takes it milliseconds the first time."""
    wire.decode(msgspec.msgpack.encode(model.Load("", "", "script", "", (), 0.0)), REQUEST)


def serve(stream: wire.Stream, restore: Callable[[], None] | None = None) -> None:
    """Answers requests one after another. Returns when the grader has closed its end. ``restore``: what ``sealed`` gave
    in a process of which this one is a fork, where nothing of a submission had been run: remembering what there is
    costs more than forking does."""
    printed = observe.Printed()
    sys.stdout, sys.stderr = printed.text(), printed.text()
    warnings.simplefilter("default")
    put_aside_tools()
    compiler.put_aside()
    module = types.ModuleType("empty")
    filename = ""
    kernels, restore, waiting = Kernels(), restore or sealed(), bytearray()
    while True:
        try:
            request: model.Load | model.Ask = wire.receive(stream, REQUEST, REQUEST_LIMIT)
        except wire.Closed:
            return
        if isinstance(request, model.Load):
            filename = request.filename
            module, trouble, cell_errors = load(request)
            restore()
            quiet()
            answer: model.Loaded | model.Answer = model.Loaded(
                request.nonce, trouble, cell_errors, printed.take()
            )
        else:
            seen = Conversation(module, filename, request.program, kernels, restore).run()
            restore()
            answer = model.Answer(request.nonce, seen, printed.take())
        waiting += wire.encode(answer)
        if not getattr(request, "more", False) or len(waiting) > wire.AT_ONCE:
            stream.write(bytes(waiting))
            waiting.clear()
