"""The code that every script holds a copy of, so that it needs no grader."""

from __future__ import annotations

import ast
import functools
from collections.abc import Iterable
from importlib import resources

FOLDER = "autograder.instructor.repro.embedded"
MODULES = (
    ("autograder.worker", "imports.py"),  # what a submission may import
    (FOLDER, "loading.py"),
    (FOLDER, "running.py"),
    (FOLDER, "arrays.py"),
    (FOLDER, "properties.py"),
    (FOLDER, "comparing.py"),
)
META = ("autograder.worker", "meta.py")  # for tensors without values


OWN_IMPORTS = """\
import argparse, base64, random, sys
import torch
import numpy as np
from math import inf, nan
from pathlib import Path
from typing import Any
"""


@functools.cache
def embedded(meta: bool) -> tuple[str, str]:
    """Return the imports of a script, and the code. With ``meta`` it can run cases on that device."""
    imports = ast.parse(OWN_IMPORTS).body
    parts = []
    for package, name in (*MODULES, META) if meta else MODULES:
        text = resources.files(package).joinpath(name).read_text(encoding="utf-8")
        body = ast.parse(text).body
        code = [one for one in body if not isinstance(one, ast.Import | ast.ImportFrom) and not _is_docstring(one)]
        imports += [one for one in body if _is_foreign(one)]
        parts.append(text[_offset(text, code[0]) :].strip("\n"))
    return merged(imports), "\n\n\n".join(parts)


def merged(statements: Iterable[ast.stmt]) -> str:
    """Return import statements as source, each module once."""
    whole: set[str] = set()
    names: dict[str, set[str]] = {}
    for one in statements:
        if isinstance(one, ast.ImportFrom) and one.module:
            names.setdefault(one.module, set()).update(alias.name for alias in one.names)
        elif isinstance(one, ast.Import):
            whole |= {ast.unparse(ast.Import([alias])) for alias in one.names}
    return "\n".join(
        [*sorted(whole), *(f"from {name} import {', '.join(sorted(names[name]))}" for name in sorted(names))]
    )


def _is_docstring(statement: ast.stmt) -> bool:
    return isinstance(statement, ast.Expr) and isinstance(statement.value, ast.Constant)


def _is_foreign(statement: ast.stmt) -> bool:
    """Whether a statement imports something that is not ours."""
    if isinstance(statement, ast.Import):
        return True
    module = statement.module or "" if isinstance(statement, ast.ImportFrom) else "__future__"
    return module != "__future__" and not module.startswith("autograder")


def _offset(text: str, statement: ast.stmt) -> int:
    """Return where the first statement begins, with its decorators."""
    decorators = getattr(statement, "decorator_list", [])
    line = min([statement.lineno, *(one.lineno for one in decorators)])
    return sum(len(row) for row in text.splitlines(keepends=True)[: line - 1])
