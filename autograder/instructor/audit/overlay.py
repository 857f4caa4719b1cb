"""Compose right submissions from the solution and an overlay.

An overlay is a Python file that holds only the imports, definitions, methods and class-level statements that differ
from the solution's. Its first line is a comment that says its style. Comment lines `# from NAME: a, B, C.method` below
that take definitions, and all imports, out of another right submission's file. A file that starts with
`# whole file:` is complete.
"""

from __future__ import annotations

import ast
from collections.abc import Iterator, Mapping, Sequence
from typing import NamedTuple, TypeVar

T = TypeVar("T")

WHOLE = "# whole file:"
TAKEN = "# from "
MARKS = ("# %%", "### ")  # of notebook cells and of the parts to fill in: not part of a definition


class OverlayError(Exception):
    """An overlay takes a definition that the named file does not hold."""


class Part(NamedTuple):
    """A top-level statement. The text of a class is its head; `members` hold the statements of its body."""

    text: str
    members: dict[str, str] | None = None

    def over(self, base: Part | None) -> Part:
        """Return this part, with the members of `base` that it does not define itself."""
        if not base or base.members is None or self.members is None:
            return self
        return Part(self.text or base.text, _merged(base.members, self.members))

    def written(self) -> str:
        """Return the full text."""
        return "\n".join([self.text, *(self.members or {}).values()])


def composed(name: str, files: Mapping[str, str]) -> str:
    """Return the full text of the submission `name`.

    `files` holds the files of all right submissions by name; `files["solution"]` is the solution. Definitions keep the
    order of the solution. A new one stands before the one that follows it in the overlay. Docstrings of the solution's
    classes are dropped where the overlay has the class. Raises OverlayError or SyntaxError.
    """
    text = files[name]
    if name == "solution" or text.startswith(WHOLE):
        return text
    base = {key: part for key, part in _parts(files["solution"]).items() if not key.startswith("if ")}
    own: dict[str, Part] = {}
    for key, part in (*_taken(text, files), *_parts(text).items()):
        own[key] = part.over(own.get(key))
    found = _merged(base, {key: part.over(base.get(key)) for key, part in own.items()})
    imports = {key: part.text for key, part in found.items() if _imports(key)}
    first = sorted(imports, key=lambda key: not key.startswith("from __future__"))
    rest = [part.written() for key, part in found.items() if key not in imports]
    head = ["\n".join(imports[key] for key in first)] if imports else []
    return "\n\n\n".join([*head, *rest]) + "\n"


def _taken(text: str, files: Mapping[str, str]) -> Iterator[tuple[str, Part]]:
    """Yield what the leading comments take from other files, by name."""
    for line in text.splitlines():
        if not line.startswith("#"):
            return
        if line.startswith(TAKEN):
            name, _, wanted = line.removeprefix(TAKEN).partition(": ")
            for one in wanted.split(", "):
                try:
                    yield from _found(_parts(files[name]), *one.split("."))
                except KeyError as error:
                    raise OverlayError(f"{line}: there is no {error}") from error


def _found(parts: dict[str, Part], name: str, method: str = "") -> Iterator[tuple[str, Part]]:
    """Yield the imports, and one definition, or its class without a head and with one method. Raises KeyError."""
    yield from ((key, part) for key, part in parts.items() if _imports(key))
    part = parts[name]
    yield name, Part("", {method: (part.members or {})[method]}) if method else part


def _imports(key: str) -> bool:
    return key.startswith(("import ", "from "))


def _parts(source: str) -> dict[str, Part]:
    """Return the top-level statements by what they define, without the module's docstring."""
    lines = source.splitlines()
    places = _places(ast.parse(source).body, lines, 0)
    return {_key(node): _part(node, lines, start, end) for node, start, end in places if not _is_docstring(node)}


def _part(node: ast.stmt, lines: Sequence[str], start: int, end: int) -> Part:
    """Return the statement on these lines. The head of a class ends with its docstring."""
    if not isinstance(node, ast.ClassDef) or node.body[0].lineno == node.lineno:
        return Part(_text(lines, start, end))
    body = list(_places(node.body, lines, node.lineno))
    documented = _is_docstring(node.body[0])
    head_end = body[0][2] if documented else body[0][1]
    members = {}
    for inner, first, last in body[documented:]:
        blank = "" if lines[first - 1].strip() else "\n"
        members[_key(inner)] = blank + _text(lines, first, last)
    return Part(_text(lines, start, head_end), members)


def _places(body: Sequence[ast.stmt], lines: Sequence[str], end: int) -> Iterator[tuple[ast.stmt, int, int]]:
    """Yield each statement with the slice of its lines: with its decorators and the comments directly above.

    `end` is the last line before the first statement.
    """
    for node in body:
        start = min([node.lineno, *(one.lineno for one in getattr(node, "decorator_list", ()))]) - 1
        while start > end and lines[start - 1].lstrip().startswith("#"):
            start -= 1
        end = node.end_lineno or start
        yield node, start, end


def _text(lines: Sequence[str], start: int, end: int) -> str:
    return "\n".join(line for line in lines[start:end] if not line.lstrip().startswith(MARKS)).rstrip()


def _key(node: ast.stmt) -> str:
    """Return the name that a statement defines, or its text."""
    match node:
        case ast.FunctionDef(name=name) | ast.AsyncFunctionDef(name=name) | ast.ClassDef(name=name):
            return name
        case ast.Assign(targets=[target]) | ast.AnnAssign(target=target):
            return ast.unparse(target)
    return ast.unparse(node)


def _is_docstring(node: ast.stmt) -> bool:
    match node:
        case ast.Expr(value=ast.Constant(value=str())):
            return True
    return False


def _merged(base: dict[str, T], over: Mapping[str, T]) -> dict[str, T]:
    """Return `base` with the values of `over`; new keys stand before the next known one, or at the end."""
    waiting: list[str] = []
    before: dict[str, list[str]] = {}
    for key in over:
        waiting.append(key)
        if key in base:
            before[key], waiting = waiting, []
    order = [*(key for known in base for key in before.get(known, [known])), *waiting]
    return {key: over[key] if key in over else base[key] for key in order}
