"""Runs a submission's source in a module of its own."""

from __future__ import annotations
import __future__

import ast
import contextlib
import io
import linecache
import signal
import sys
import time
import types
from collections.abc import Iterator
from typing import Any

from autograder import model
from autograder.worker.observe import raised

ANNOTATIONS = __future__.annotations.compiler_flag  # the other imports from __future__ hold anyhow


class CellTimeout(BaseException):
    """A notebook cell ran too long. Not an Exception, so that a cell's own ``except Exception`` lets it pass."""


class _NoTool:
    """Takes every call that a notebook makes to IPython or to a classroom's tool, and does nothing."""

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        pass

    def __getattr__(self, name: str) -> Any:
        return lambda *args, **kwargs: None


def put_aside_tools() -> None:
    """Puts a module that does nothing in the place of otter-grader, whose calls (``grader = otter.Notebook()``,
    ``grader.check("q1")``) stand in every notebook that it made: installed here or not, they cost and start nothing."""
    otter = types.ModuleType("otter")
    otter.Notebook = _NoTool  # type: ignore[attr-defined]
    sys.modules["otter"] = otter


def load(request: model.Load) -> tuple[types.ModuleType, model.Raised | None, tuple[model.Raised, ...]]:
    """The submission as a module; what a script died of; what single statements of a notebook died of."""
    module = types.ModuleType(request.module)
    module.__file__ = request.filename
    module.get_ipython = _NoTool  # type: ignore[attr-defined] # left by nbconvert where magics were
    sys.modules[request.module] = module  # dataclasses and pickling look their module up here
    if request.kind == "script":
        return module, _run_script(request, module.__dict__), ()
    return module, None, tuple(_run_cells(request, module.__dict__))


def _run_script(request: model.Load, namespace: dict[str, Any]) -> model.Raised | None:
    source = request.cells[0] if request.cells else b""
    _remember(request.filename, source)
    try:
        exec(compile(source, request.filename, "exec", dont_inherit=True), namespace)
    except BaseException as error:  # SystemExit too: a script that exits has not been imported
        return raised(error, request.filename, "load")
    return None


def _run_cells(request: model.Load, namespace: dict[str, Any]) -> Iterator[model.Raised]:
    """Runs each cell statement by statement, so that one that fails takes nothing else with it. As in a notebook,
    an import from ``__future__`` holds for what follows. All cells together take no more than three may."""
    future, end = 0, time.monotonic() + 3 * request.cell_seconds
    for number, source in enumerate(request.cells, start=1):
        filename = f"{request.filename}, code cell {number}"
        _remember(filename, source)
        try:
            # Half of what is left, so that many endless cells leave something for those that come after.
            share = max(request.cell_seconds / 50, min(request.cell_seconds, (end - time.monotonic()) / 2))
            with _time_limit(share):
                # As text: a coding cookie, which Jupyter ignores, holds for bytes.
                for statement in ast.parse(source.decode("utf-8", "replace"), filename).body:
                    try:
                        tree = ast.Module([statement], type_ignores=[])
                        code = compile(tree, filename, "exec", flags=future, dont_inherit=True)
                        future |= code.co_flags & ANNOTATIONS
                        exec(code, namespace)
                    except CellTimeout:
                        raise
                    except BaseException as error:
                        yield raised(error, filename, "load")
        except BaseException as error:  # a cell that can't be compiled, or that took too long
            yield raised(error, filename, "load")


@contextlib.contextmanager
def _time_limit(seconds: float) -> Iterator[None]:
    if not hasattr(signal, "setitimer"):  # Windows: only the grader's own limit holds
        yield
        return

    def stop(*_: object) -> None:
        raise CellTimeout(f"the cell ran for more than {seconds:.2g} s and was left")

    previous = signal.signal(signal.SIGALRM, stop)
    signal.setitimer(signal.ITIMER_REAL, seconds)
    try:
        yield
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)
        signal.signal(signal.SIGALRM, previous)


def _remember(filename: str, source: bytes) -> None:
    """Lets tracebacks and ``inspect.getsource`` find the text, which is in no file that the worker can see."""
    lines = list(io.StringIO(source.decode("utf-8", "replace"), newline=None))  # lines as Python counts them
    linecache.cache[filename] = (len(source), None, lines, filename)
