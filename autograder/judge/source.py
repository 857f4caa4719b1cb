"""What a submission's source says of what was seen to run. It is read here, on the grader's side, and never run.

A source proves little: a name may be there and not be called, or be called and not be there. So what it says of a
forbidden function only stands beside what was seen. The one thing that it decides is whether a submission reaches
for the recorders themselves, because those who replace a witness decide what it says.
"""

from __future__ import annotations

import ast
import functools
import itertools
import re
from collections.abc import Iterator, Sequence
from typing import NamedTuple

# What nobody names who does not want the record of a call to be false. Whole names: a word in a text is no such.
RECORDERS = {
    "setprofile", "getprofile", "addaudithook", "_clear_callbacks", "_enable_record_function",
    "_enable_profiler_legacy", "_disable_profiler_legacy", "_profiler_enabled", "profiler_legacy", "_dispatch_library",
}  # fmt: skip
OURS = ("autograder.worker", "autograder.wire", "autograder.model", "autograder.sandbox")
MOST_WORDS = 200_000
WORD = re.compile(rb"\w+|[^\w\s]")
Definition = ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef | ast.stmt


class Clue(NamedTuple):
    """A place in the source; in a notebook lines are counted in their cell."""

    line: int
    code: str

    def __str__(self) -> str:
        return f"line {self.line}: {self.code}"


@functools.lru_cache(maxsize=2)  # asked of every traced call of a submission
def meddling(cells: tuple[bytes, ...]) -> Clue | None:
    """Where a submission names a recorder or a part of the worker, outside comments and docstrings. In a source that is
    too long to be looked through it may do so anywhere."""
    if _too_long(cells):
        return Clue(1, f"more than {MOST_WORDS:,} words and signs, too many to be looked through")
    for text, tree in _parsed(cells):
        for node in ast.walk(tree):
            for name in _names(node):
                if name.startswith(OURS) or not RECORDERS.isdisjoint(name.split(".")):
                    return _clue(text, node)
    return None


def clue(cells: Sequence[bytes], start: str, words: Sequence[str]) -> Clue | None:
    """Where ``start``, or something of the file that it leads to, names something that contains one of ``words``."""
    known: dict[str, list[tuple[str, Definition]]] = {}
    for text, tree in _parsed(tuple(cells)):
        for statement in tree.body:
            for name in _defined(statement):
                known.setdefault(name, []).append((text, statement))
    waiting, seen = [start], {start}
    while waiting:
        text, statement = known.get(waiting.pop(0), [("", ast.Pass())])[-1]  # the last definition wins
        for node in ast.walk(statement):
            for name in _names(node):
                if name not in known and contains(name, words):
                    return _clue(text, node)
                if name in known and name not in seen:
                    seen.add(name)
                    waiting.append(name)
    return None


def contains(name: str, words: Sequence[str]) -> bool:
    """However it is written: ``aten::_log_softmax``, ``graph::LogSoftmax``."""
    return _contains(name, tuple(words))


@functools.lru_cache(maxsize=4096)  # the same few operators run in all calls of all submissions
def _contains(name: str, words: tuple[str, ...]) -> bool:
    plain = name.lower().replace("_", "")
    return any(word.lower().replace("_", "") in plain for word in words)


@functools.lru_cache(maxsize=2)
def _parsed(cells: tuple[bytes, ...]) -> list[tuple[str, ast.Module]]:
    found = []
    for cell in () if _too_long(cells) else cells:
        text = cell.decode("utf-8", "replace")
        try:
            found.append((text, ast.parse(text)))
        except (SyntaxError, ValueError, RecursionError, MemoryError):  # it can't be run either
            continue
    return found


@functools.lru_cache(maxsize=2)
def _too_long(cells: tuple[bytes, ...]) -> bool:
    """Whether the tree of a source would fill the grader's memory: a word of it takes some hundred bytes, and a file of
    the largest size that is read would take gigabytes. What is honest has some thousand words."""
    if sum(map(len, cells)) <= MOST_WORDS:  # of one letter each
        return False
    most = itertools.islice(itertools.chain.from_iterable(map(WORD.finditer, cells)), MOST_WORDS, None)
    return next(most, None) is not None


def _defined(statement: ast.stmt) -> Iterator[str]:
    """The names that a statement of the top level gives a meaning to."""
    if isinstance(statement, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef):
        yield statement.name
    elif isinstance(statement, ast.Import | ast.ImportFrom):
        yield from (alias.asname or alias.name.split(".")[0] for alias in statement.names)
    else:
        for node in ast.walk(statement):
            if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store):
                yield node.id


def _names(node: ast.AST) -> Iterator[str]:
    """What a node names: a variable, an attribute, an import, or a text from which a name may be made."""
    match node:
        case ast.Name(id=name, ctx=ast.Load()) | ast.Attribute(attr=name):
            yield name
        case ast.ImportFrom(module=module, names=names):
            yield from (f"{module}.{alias.name}" for alias in names)
        case ast.Import(names=names):
            yield from (alias.name for alias in names)
        case ast.BinOp() | ast.Constant():
            text = _text(node)
            if text and text.replace(".", "").isidentifier():  # not a sentence
                yield text


def _text(node: ast.expr) -> str | None:
    """A text that is written down, also in pieces."""
    match node:
        case ast.Constant(value=str() as text):
            return text
        case ast.BinOp(left=left, op=ast.Add(), right=right):
            one, other = _text(left), _text(right)
            return None if one is None or other is None else one + other
    return None


def _clue(text: str, node: ast.AST) -> Clue:
    number = getattr(node, "lineno", 1)
    lines = text.splitlines()
    return Clue(number, lines[number - 1].strip()[:120] if number <= len(lines) else "")
