"""Which modules of its folder a file of a course's assignment imports."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from pathlib import Path


def imported_by(path: Path) -> Iterator[tuple[str, int]]:
    """Yield the names of the files in the same folder that a file imports, each with the line. Raises SyntaxError."""
    for node in ast.walk(ast.parse(path.read_bytes(), str(path))):
        if isinstance(node, ast.ImportFrom) and node.level == 1:
            modules = [node.module.partition(".")[0]] if node.module else [alias.name for alias in node.names]
            yield from ((f"{module}.py", node.lineno) for module in modules)


def with_imported(path: Path) -> list[Path]:
    """Return a file and all files of its folder that it imports, itself or by others. Raises SyntaxError."""
    found = [path]
    for file in found:  # grows
        others = (path.with_name(name) for name, _ in imported_by(file))
        found += dict.fromkeys(other for other in others if other.is_file() and other not in found)
    return found
