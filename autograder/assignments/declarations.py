"""Reads what the files of a course's assignment declare. A slip raises CourseError with file, line and what to do."""

from __future__ import annotations

import ast
from collections.abc import Callable
from pathlib import Path
from types import ModuleType
from typing import Any, TypeVar

from autograder import model

T = TypeVar("T")
Names = Callable[[object], str]  # says what an entry should be, where it is something else

ADD_STAR = "write a star before it: CHECKS = (*part(...), *part(...))"


def title(module: ModuleType) -> str:
    """Return the title of an assignment."""
    found = getattr(module, "TITLE", None)
    if not isinstance(found, str) or not found.strip():
        raise _error(module, "TITLE", 'it has no title; write TITLE = "..." in it')
    return found


def checks(module: ModuleType) -> tuple[model.Check, ...]:
    """Return the checks that a module declares."""
    found = _entries(module, "CHECKS", model.Check, 'part("function", ...)', _no_check)
    for check in found:
        if check.visibility == "hidden" and Path(str(module.__file__)).name == "checks.py":
            text = f"the id {check.id} begins with {model.HIDDEN}; move the check to hidden_checks.py, or rename it"
            raise _error(module, check.id, text)
        if not check.part:
            raise _error(module, check.id, f'the check {check.id} is in no part; write part("function", ...) around it')
    return found


def check_parts(module: ModuleType, known: tuple[str, ...]) -> None:
    """Raise CourseError where PARTS holds something else than names of known parts."""
    declared = getattr(module, "PARTS", ())
    if isinstance(declared, str) or not all(isinstance(one, str) for one in declared):
        raise _error(module, "PARTS", 'PARTS holds the names of parts, in their order: PARTS = ("first", "second")')
    for name in declared:
        if name not in known:
            raise _error(module, name, f"PARTS names {name}, which no check is about; the parts are {', '.join(known)}")


def table(module: ModuleType, name: str) -> dict[str, Any]:
    """Return a table of a module, such as CALLS; {} without one."""
    found = getattr(module, name, {})
    if not isinstance(found, dict):
        raise _error(module, name, f"{name} is no table; write {name} = {{...}}")
    for key, one in found.items() if name == "CALLS" else ():
        if not isinstance(one, model.CallAxes):
            raise _error(module, name, f"CALLS[{key!r}] describes no call; write CALLS = {{F.target: F.described}}")
    return found


def mistakes(module: ModuleType, kind: type[T]) -> tuple[T, ...]:
    """Return the known mistakes that a module declares."""
    return _entries(module, "MISTAKES", kind, '(mistake("an-id", ...),)', lambda one: 'write mistake("an-id", ...)')


def line_of(path: Path, name: str) -> int:
    """Return the line of a file that assigns or defines a name; else the first that holds it; 0 if none does."""
    text = path.read_text(encoding="utf-8")
    for node in ast.parse(text).body:
        targets = (
            node.targets if isinstance(node, ast.Assign) else [node.target] if isinstance(node, ast.AnnAssign) else []
        )
        named = [one.id for one in targets if isinstance(one, ast.Name)]
        if name in named or (isinstance(node, ast.FunctionDef | ast.ClassDef) and node.name == name):
            return node.lineno
    return next((at for at, line in enumerate(text.splitlines(), 1) if name in line), 0)


def _entries(module: ModuleType, name: str, kind: type[T], example: str, says: Names) -> tuple[T, ...]:
    """Return the entries of a tuple or list that a module declares. ``example``: what to write."""
    found, what = getattr(module, name, None), kind.__name__.lower()
    if found is None:
        raise _error(module, name, f"it has no {name}; write {name} = {example} in it")
    if isinstance(found, kind):
        raise _error(module, name, f"{name} is one {what}, not a tuple of them; write {name} = {example}")
    if not isinstance(found, tuple | list):
        raise _error(module, name, f"{name} is of type {type(found).__name__}; write {name} = {example}")
    for number, one in enumerate(found):
        if not isinstance(one, kind):
            got = f"{name}[{number}] is of type {type(one).__name__}, not a {what}"
            raise _error(module, name, f"{got}; {says(one)}")
    return tuple(found)


def _no_check(entry: object) -> str:
    """Return what to do with an entry of CHECKS that is no check."""
    if isinstance(entry, tuple) and hasattr(entry, "expects"):
        return 'end it with what it expects: value("id", 5, "title").on(CASE).expects(RIGHT)'
    if isinstance(entry, tuple | list):
        return ADD_STAR
    return 'write part("function", values(CALL, 30), ...)'


def _error(module: ModuleType, name: str, text: str) -> model.CourseError:
    path = Path(str(module.__file__))
    return model.CourseError(text, path, line_of(path, name) or line_of(path, "CHECKS"))
