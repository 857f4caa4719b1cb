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
from autograder.worker.grafting import grafted
from autograder.worker.imports import Inert, students_builtins

ANNOTATIONS = __future__.annotations.compiler_flag  # the other features of __future__ are standard by now


TICK = 0.5  # seconds by the wall clock
STILL_TICKS = 6
STILL_SHARE = 0.002  # of a processor: a cell that uses less sleeps, or the machine runs five hundred others
DECORATOR = "_right_part"  # puts a right part in place of what it decorates


class CellTimeout(BaseException):
    """A notebook cell ran too long. Not an Exception, so a cell's own ``except Exception`` does not catch it."""


def load(request: protocol.Load) -> tuple[types.ModuleType, protocol.Raised | None, tuple[protocol.Raised, ...]]:
    """Return the submission as a module, a script's exception or None, and those of a notebook's statements."""
    module = types.ModuleType(request.module)
    module.__file__ = request.filename
    module.get_ipython = Inert  # type: ignore[attr-defined] # left by nbconvert where magics were
    module.__builtins__ = students_builtins(request.module)  # type: ignore[attr-defined]
    sys.modules[request.module] = module  # dataclasses and pickle look up their module here
    with _replaced(request.right, module.__dict__):
        if request.kind == "script":
            return module, _run_script(request, module.__dict__), ()
        return module, None, tuple(_run_cells(request, module.__dict__))


@contextlib.contextmanager
def _replaced(right: protocol.RightParts | None, namespace: dict[str, Any]) -> Iterator[None]:
    """Put right parts in place of a submission's own: as it defines them, and again afterwards.

    Right parts use each other, and the parts that stay the submission's own. Given code is replaced as a whole: nothing
    of the submission's copy remains.
    """
    if right is None:
        yield
        return
    parts: dict[str, Any] = {"__name__": "right_parts"}
    exec(compile(right.source, "right_parts", "exec", dont_inherit=True), parts)
    replaced = {name: parts[name] for name in (*right.names, *right.given)}

    def put(own: Any) -> Any:
        name = own.__name__
        if name not in right.given:
            replaced[name] = grafted(parts[name], own)
        return replaced[name]

    namespace.update(replaced, **{DECORATOR: put})
    yield
    namespace.pop(DECORATOR, None)
    namespace.update(replaced)
    parts.update(replaced)
    for name in right.kept:
        if name in namespace:
            parts[name] = namespace[name]
        else:
            parts.pop(name, None)  # where the submission has none, a right part has none either


@contextlib.contextmanager
def standing_in(source: str, namespace: dict[str, Any]) -> Iterator[None]:
    """Put the public names of a source in place of those of a namespace, for a time. ``_end`` is called at its end."""
    if not source:
        yield
        return
    made: dict[str, Any] = {"__name__": "stand_ins"}
    exec(compile(source, "stand_ins", "exec", dont_inherit=True), made)
    names = {name: one for name, one in made.items() if not name.startswith("_")}
    before = {name: namespace[name] for name in names if name in namespace}
    namespace.update(names)
    try:
        yield
    finally:
        made.get("_end", lambda: None)()
        for name in names:
            namespace.pop(name, None)
        namespace.update(before)


def _statements(text: str, filename: str, right: protocol.RightParts | None) -> list[ast.stmt]:
    """Return the statements of a source. Definitions of parts that are replaced get a decorator that does it."""
    body = ast.parse(text, filename).body
    for statement in body:
        names = (*right.names, *right.given) if right else ()
        if isinstance(statement, ast.FunctionDef | ast.ClassDef) and statement.name in names:
            name = ast.copy_location(ast.Name(DECORATOR, ast.Load()), statement)
            statement.decorator_list.insert(0, name)
    return body


def _run_script(request: protocol.Load, namespace: dict[str, Any]) -> protocol.Raised | None:
    source = request.cells[0] if request.cells else b""
    try:
        text = text_of(source, "script")
        _remember(request.filename, text)
        code = compile(text, request.filename, "exec", dont_inherit=True)
        if request.right:
            body = _statements(text, request.filename, request.right)
            code = compile(ast.Module(body, type_ignores=[]), request.filename, "exec", dont_inherit=True)
        exec(code, namespace)
    except BaseException as error:  # also SystemExit: a script that exits cannot be used
        return raised(error, request.filename, "load")
    return None


def _run_cells(request: protocol.Load, namespace: dict[str, Any]) -> Iterator[protocol.Raised]:
    """Run each cell statement by statement, and yield the exceptions. A failing statement does not stop the others.

    As in a notebook, an import from ``__future__`` holds for later cells. All cells together get the time of three.
    """
    future, end = 0, time.process_time() + 3 * request.cell_seconds
    for number, source in enumerate(request.cells, start=1):
        filename = f"{request.filename}, code cell {number}"
        text = text_of(source, "notebook")
        _remember(filename, text)
        try:
            # Half of the time left, so that endless cells leave some for later cells.
            share = max(request.cell_seconds / 50, min(request.cell_seconds, (end - time.process_time()) / 2))
            with _time_limit(share):
                for statement in _statements(text, filename, request.right):
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
    """Stop a cell after so many CPU seconds, or when it sleeps: it used next to no CPU time for some seconds."""
    if not hasattr(signal, "setitimer"):  # Windows has only the grader's own limit
        yield
        return
    used: list[float] = [time.process_time()]  # at each tick

    def stop(*_: object) -> None:
        raise CellTimeout(f"the cell ran for more than {seconds:.2g} s and was stopped")

    def tick(*_: object) -> None:
        used.append(time.process_time())
        if len(used) > STILL_TICKS and used[-1] - used[-1 - STILL_TICKS] < STILL_SHARE * STILL_TICKS * TICK:
            raise CellTimeout("the cell did nothing for some seconds and was stopped")

    handlers = {signal.SIGPROF: stop, signal.SIGALRM: tick}
    previous = {number: signal.signal(number, handler) for number, handler in handlers.items()}
    signal.setitimer(signal.ITIMER_PROF, seconds)
    signal.setitimer(signal.ITIMER_REAL, TICK, TICK)
    try:
        yield
    finally:
        signal.setitimer(signal.ITIMER_PROF, 0)
        signal.setitimer(signal.ITIMER_REAL, 0)
        for number, handler in previous.items():
            signal.signal(number, handler)


def _remember(filename: str, text: str) -> None:
    """Let tracebacks and ``inspect.getsource`` find the source, which is in no file."""
    linecache.cache[filename] = (len(text), None, lines_of(text), filename)
