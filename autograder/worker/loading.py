"""Runs a submission's source in a module of its own."""

from __future__ import annotations
import __future__

import ast
import contextlib
import linecache
import signal
import sys
import time
import types
from collections.abc import Iterator
from typing import Any

from autograder import protocol
from autograder.protocol.source_text import lines_of, text_of
from autograder.worker.describe import raised

ANNOTATIONS = __future__.annotations.compiler_flag  # the other features of __future__ are standard by now


class CellTimeout(BaseException):
    """A notebook cell ran too long. Not an Exception, so a cell's own ``except Exception`` does not catch it."""


class _NoTool:
    """Stands in for IPython or a classroom tool in a notebook: accepts every call, and does nothing."""

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        pass

    def __getattr__(self, name: str) -> Any:
        return lambda *args, **kwargs: None


def put_aside_tools() -> None:
    """Replace otter-grader by a module that does nothing, installed or not.

    Every notebook that it makes calls it: ``grader = otter.Notebook()``, ``grader.check("q1")``.
    """
    otter = types.ModuleType("otter")
    otter.Notebook = _NoTool  # type: ignore[attr-defined]
    sys.modules["otter"] = otter


def load(request: protocol.Load) -> tuple[types.ModuleType, protocol.Raised | None, tuple[protocol.Raised, ...]]:
    """Return the submission as a module, a script's exception or None, and those of a notebook's statements."""
    module = types.ModuleType(request.module)
    module.__file__ = request.filename
    module.get_ipython = _NoTool  # type: ignore[attr-defined] # left by nbconvert where magics were
    sys.modules[request.module] = module  # dataclasses and pickle look up their module here
    if request.kind == "script":
        return module, _run_script(request, module.__dict__), ()
    return module, None, tuple(_run_cells(request, module.__dict__))


def _run_script(request: protocol.Load, namespace: dict[str, Any]) -> protocol.Raised | None:
    source = request.cells[0] if request.cells else b""
    try:
        text = text_of(source, "script")
        _remember(request.filename, text)
        exec(compile(text, request.filename, "exec", dont_inherit=True), namespace)
    except BaseException as error:  # also SystemExit: a script that exits cannot be used
        return raised(error, request.filename, "load")
    return None


def _run_cells(request: protocol.Load, namespace: dict[str, Any]) -> Iterator[protocol.Raised]:
    """Run each cell statement by statement, and yield the exceptions. A failing statement does not stop the others.

    As in a notebook, an import from ``__future__`` holds for later cells. All cells together get the time of three.
    """
    future, end = 0, time.monotonic() + 3 * request.cell_seconds
    for number, source in enumerate(request.cells, start=1):
        filename = f"{request.filename}, code cell {number}"
        text = text_of(source, "notebook")
        _remember(filename, text)
        try:
            # Half of the time left, so that endless cells leave some for later cells.
            share = max(request.cell_seconds / 50, min(request.cell_seconds, (end - time.monotonic()) / 2))
            with _time_limit(share):
                for statement in ast.parse(text, filename).body:
                    try:
                        tree = ast.Module([statement], type_ignores=[])
                        code = compile(tree, filename, "exec", flags=future, dont_inherit=True)
                        future |= code.co_flags & ANNOTATIONS
                        exec(code, namespace)
                    except CellTimeout:
                        raise
                    except BaseException as error:
                        yield raised(error, filename, "load")
        except BaseException as error:  # a cell with a syntax error, or over its time limit
            yield raised(error, filename, "load")


@contextlib.contextmanager
def _time_limit(seconds: float) -> Iterator[None]:
    if not hasattr(signal, "setitimer"):  # Windows has only the grader's own limit
        yield
        return

    def stop(*_: object) -> None:
        raise CellTimeout(f"the cell ran for more than {seconds:.2g} s and was stopped")

    previous = signal.signal(signal.SIGALRM, stop)
    signal.setitimer(signal.ITIMER_REAL, seconds)
    try:
        yield
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)
        signal.signal(signal.SIGALRM, previous)


def _remember(filename: str, text: str) -> None:
    """Let tracebacks and ``inspect.getsource`` find the source, which is in no file."""
    linecache.cache[filename] = (len(text), None, lines_of(text), filename)
