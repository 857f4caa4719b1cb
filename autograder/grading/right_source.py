"""The part of a solution's source that a worker with right parts may hold.

It never holds the part that is asked about, nor later ones: a submission can read what is there (SECURITY.md).
"""

from __future__ import annotations

import ast
import functools


@functools.cache
def reduced(source: bytes, names: tuple[str, ...], never: tuple[str, ...]) -> bytes:
    """Return a source with only the definitions that ``names`` need, and none of ``never``. Imports stay."""
    module = ast.parse(source)
    made = {name: statement for statement in module.body for name in _binds(statement)}
    needed, waiting = set[str](), list(names)
    while waiting:
        name = waiting.pop()
        if name in made and name not in needed and name not in never:
            needed.add(name)
            waiting += (node.id for node in ast.walk(made[name]) if isinstance(node, ast.Name))
    body = [one for one in module.body if _is_import(one) or not needed.isdisjoint(_binds(one))]
    return ast.unparse(ast.Module(body, [])).encode()


def _is_import(statement: ast.stmt) -> bool:
    return isinstance(statement, ast.Import | ast.ImportFrom)


def _binds(statement: ast.stmt) -> list[str]:
    """Return the names that a statement of a module defines or assigns."""
    match statement:
        case ast.FunctionDef(name=name) | ast.ClassDef(name=name):
            return [name]
        case ast.Assign() | ast.AnnAssign():
            return [
                node.id
                for node in ast.walk(statement)
                if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store)
            ]
    return []
