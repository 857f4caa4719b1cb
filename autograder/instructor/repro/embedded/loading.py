"""Loads the submission: a script, or a notebook's cells one after another."""

from __future__ import annotations

import ast
import contextlib
import sys
import traceback
import types
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import Any

from autograder.worker.imports import Inert, install, students_builtins


def load_submission(path: Path, name: str, cells: Sequence[int]) -> types.ModuleType:
    """Run the student's file as the module ``name``. ``cells`` are the lines at which a notebook's cells start.

    A statement of a notebook that raises is reported and skipped, as in a notebook.
    """
    install()
    module = types.ModuleType(name)
    module.__file__ = str(path)
    module.__builtins__ = students_builtins(name)  # type: ignore[attr-defined]
    module.get_ipython = Inert  # type: ignore[attr-defined]
    sys.modules[name] = module
    text = path.read_text(encoding="utf-8")
    if not cells:
        try:
            exec(compile(text, str(path), "exec", dont_inherit=True), vars(module))
        except SystemExit as error:
            raise ImportError("the student's file ends the program while it is loaded") from error
        return module
    lines, flags = text.split("\n"), 0
    for start, end in zip(cells, [*cells[1:], len(lines) + 2], strict=True):
        with _reported():
            body = ast.parse("\n".join(lines[start - 1 : end - 2]), str(path)).body
            for statement in body:
                tree = ast.increment_lineno(ast.Module([statement], type_ignores=[]), start - 1)
                with _reported():
                    code = compile(tree, str(path), "exec", flags=flags, dont_inherit=True)
                    flags |= code.co_flags & annotations.compiler_flag
                    exec(code, vars(module))
    return module


def put_stand_ins(student: types.ModuleType, source: str) -> Callable[[], None]:
    """Put the public names of a source in place of the submission's. Return what puts these back."""
    made: dict[str, Any] = {"__name__": "stand_ins"}
    exec(compile(source, "stand_ins", "exec", dont_inherit=True), made)
    names = {name: one for name, one in made.items() if not name.startswith("_")}
    before = {name: vars(student)[name] for name in names if name in vars(student)}
    vars(student).update(names)

    def undo() -> None:
        made.get("_end", lambda: None)()
        for name in names:
            vars(student).pop(name, None)
        vars(student).update(before)

    return undo


@contextlib.contextmanager
def _reported() -> Iterator[None]:
    try:
        yield
    except (Exception, SystemExit):
        traceback.print_exc()
