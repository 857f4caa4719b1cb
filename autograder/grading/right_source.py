"""The part of a solution's source that a worker with right parts may hold.

It never holds the part that is asked about, nor later ones: a submission can read what is there (SECURITY.md).
"""

from __future__ import annotations

import ast
import functools


@functools.cache
def reduced(source: bytes, names: tuple[str, ...], never: tuple[str, ...]) -> bytes:
    """Return a source without the functions and classes of ``never``, and without those that nothing left needs.

    Needed are ``names``, and what statements of the module name. A statement that names one of ``never`` is left out.
    """
    body = ast.parse(source).body
    definitions = [one for one in body if isinstance(one, ast.FunctionDef | ast.ClassDef)]
    kept = [one for one in body if one not in definitions and _named(one).isdisjoint(never)]
    done, waiting = set(never), set(names).union(*map(_named, kept))
    while waiting:
        name = waiting.pop()
        found = [one for one in definitions if one.name == name and name not in done]
        done.add(name)
        waiting.update(*map(_named, found))
        kept += found
    return ast.unparse(ast.Module([one for one in body if one in kept], [])).encode()


def _named(statement: ast.stmt) -> set[str]:
    return {node.id for node in ast.walk(statement) if isinstance(node, ast.Name)}
