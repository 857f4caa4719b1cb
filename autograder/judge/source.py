"""Read a submission's source for forbidden functions and for tampering. The source is parsed here and never run.

A source proves little: it may name a function without calling it, or call it under another name. So a forbidden
function is only reported if it ran; the source adds the line. The source alone decides one thing: whether a submission
reaches for the recorders, because code that replaces a recorder controls what it reports.

A source is hostile, too. Each node of its trees is visited once, without recursion, up to a stated number.
"""

from __future__ import annotations

import ast
import contextlib
import functools
import itertools
import re
import warnings
from collections import defaultdict, deque
from collections.abc import Collection, Iterator, Sequence
from typing import NamedTuple

from autograder import model
from autograder.judge import tampering
from autograder.protocol import source_text

# A tree takes some hundred bytes of memory a word. Honest submissions have some thousand words and nodes.
MOST_WORDS = 200_000  # that are parsed
MOST_NODES = 200_000  # that are visited; then as many names are compared
WORD = re.compile(r"\w+|[^\w\s]")


class Place(NamedTuple):
    """A line of the source. In a notebook, lines are counted within their cell."""

    line: int
    code: str

    def __str__(self) -> str:
        return f"line {self.line}: {self.code}"


class Name(NamedTuple):
    """What a source names: a variable, an attribute, an import, or a text that may be used as a name.

    ``own``: it is an argument or a variable of the function that names it, so it is nothing of the file's.
    """

    name: str
    line: int
    own: bool = False


class _Unreadable(Exception):
    """A source is too long, or too deeply nested, to be read."""


class Source:
    """The source of one submission, read once.

    ``tampering`` is where it reaches for the record of what runs, or None: see ``judge.tampering``. A source that can't
    be read counts as tampering. ``visited`` counts the nodes that were visited, ``compared`` the names.
    """

    def __init__(self, kind: source_text.Kind = "script", cells: Sequence[bytes] = ()) -> None:
        self.visited = 0
        self.compared = 0
        self.tampering: Place | None = None
        self._definitions: dict[str, tuple[list[str], list[Name]]] = {}
        self._callables: set[str] = set()
        self._uses: dict[tuple[str, tuple[str, ...]], Place | None] = {}
        self._imported: set[str] = set()
        self._replaced: dict[str, Place] = {}  # by variable: where an attribute of it is set
        try:
            for text in _texts(kind, cells):
                self._read(text)
        except _Unreadable as error:
            self.tampering = Place(1, str(error))
            self._definitions.clear()
        libraries = self._imported - self._callables
        changed = (place for name, place in self._replaced.items() if name in libraries)
        self.tampering = self.tampering or next(changed, None)

    def find_use(self, start: str, words: Sequence[str]) -> Place | None:
        """Return where ``start``, or a definition it uses, names something that contains one of ``words``, or None."""
        key = start, tuple(words)
        if key not in self._uses:
            self._uses[key] = self._find_use(start, tuple(map(_plain, words)))
        return self._uses[key]

    def uses(self, start: str, wanted: str) -> bool:
        """Whether ``start``, or a definition it uses, names ``wanted``. True where the source can't be read."""
        return not self._definitions or any(one.name == wanted for _, one in self._named(start) if not one.own)

    def named(self, start: str) -> set[str]:
        """Return what ``start``, and the definitions that it uses, name."""
        return {one.name for _, one in self._named(start) if not one.own}

    def shares(self, first: str, second: str, without: Collection[str]) -> bool:
        """Whether two parts use one function or class of the file that is none of ``without``."""
        used = [self.named(part) & self._callables for part in (first, second)]
        return bool((used[0] & used[1]).difference(without))

    def _find_use(self, start: str, plain: Sequence[str]) -> Place | None:
        for lines, one in self._named(start):
            if one.name not in self._definitions and any(word in _plain(one.name) for word in plain):
                return _place(lines, one.line)
        return None

    def _named(self, start: str) -> Iterator[tuple[list[str], Name]]:
        """Yield what ``start`` and the definitions it uses name, each with the lines of its source."""
        waiting, seen = deque([start]), {start}
        while waiting:
            lines, names = self._definitions.get(waiting.popleft(), ([], []))
            for one in names:
                self.compared += 1
                if self.compared > MOST_NODES:
                    return
                yield lines, one
                if one.name in self._definitions and one.name not in seen and not one.own:
                    seen.add(one.name)
                    waiting.append(one.name)

    def _read(self, text: str) -> None:
        lines = source_text.lines_of(text)
        for statement in _parsed(text):
            defined, named = set[str](), list[tuple[Name, ast.AST | None]]()
            bound = defaultdict[ast.AST | None, set[str]](set)
            libraries = defaultdict[ast.AST | None, set[str]](set)
            replaced: list[tuple[str, int, ast.AST | None]] = []
            for node, function in self._walk(statement):
                named.extend((name, function if isinstance(node, ast.Name) else None) for name in _names(node))
                bound[function].update(_bound(node))
                defined.update(_defined(node))
                if found := tampering.imported(node, self._imported):
                    libraries[function].update(found)
                    self._imported.update(found)
                if name := tampering.replaced(node):
                    replaced.append((name, getattr(node, "lineno", 1), function))
                if tampering.hides(node):
                    self.tampering = self.tampering or _place(lines, getattr(node, "lineno", 1))
            for name, line, function in replaced:
                if not function or name not in bound[function] or name in libraries[function]:
                    self._replaced.setdefault(name, _place(lines, line))
            names = [
                one._replace(own=True) if function and one.name in bound[function] else one for one, function in named
            ]
            if isinstance(statement, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef):
                defined = {statement.name}  # what it defines inside is its own
                self._callables.add(statement.name)
            self._definitions.update(dict.fromkeys(defined, (lines, names)))  # the last definition wins
            words = (_place(lines, one.line) for one in names if tampering.is_word(one.name))
            self.tampering = self.tampering or next(words, None)

    def _walk(self, statement: ast.stmt) -> Iterator[tuple[ast.AST, ast.AST | None]]:
        """Yield every node below a statement, shallow ones first, with the outermost function around it. A sum of sums
        is one node with all its terms."""
        waiting: deque[tuple[ast.AST, ast.AST | None]] = deque([(statement, None)])
        while waiting:
            node, function = waiting.popleft()
            self.visited += 1
            if self.visited > MOST_NODES:
                raise _Unreadable(f"more than {MOST_NODES:,} statements and expressions, too many to read")
            yield node, function
            if function is None and isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef | ast.Lambda):
                function = node
            inner = _terms(node) if _is_sum(node) else ast.iter_child_nodes(node)
            waiting.extend((one, function) for one in inner)


@functools.lru_cache(maxsize=1)  # holds one submission, whose size intake limits; a process grades one at a time
def read(submission: model.Submission) -> Source:
    """Return the source of a submission."""
    return Source(submission.kind, submission.cells)


def contains(name: str, words: Sequence[str]) -> bool:
    """Whether a name contains one of ``words``, in any spelling: ``aten::_log_softmax``, ``graph::LogSoftmax``."""
    plain = _plain(name)
    return any(_plain(word) in plain for word in words)


def _plain(name: str) -> str:
    return name.lower().replace("_", "")


def _texts(kind: source_text.Kind, cells: Sequence[bytes]) -> Iterator[str]:
    """Yield the texts that Python can decode. Raises _Unreadable if they are too long."""
    texts = []
    for cell in cells:
        with contextlib.suppress(SyntaxError):  # it does not run either
            texts.append(source_text.text_of(cell, kind))
    if sum(map(len, texts)) > MOST_WORDS:  # of one letter each
        words = itertools.chain.from_iterable(map(WORD.finditer, texts))
        if next(itertools.islice(words, MOST_WORDS, None), None) is not None:
            raise _Unreadable(f"more than {MOST_WORDS:,} words and signs, too many to read")
    yield from texts


def syntax_error(work: model.Submission) -> SyntaxError | None:
    """Return what keeps Python from parsing a script.

    None if it can, if nobody can tell, and for a notebook, whose other cells run.
    """
    try:
        for text in _texts(work.kind, work.cells) if work.kind == "script" else ():
            with warnings.catch_warnings():
                warnings.simplefilter("ignore")
                ast.parse(text)
    except SyntaxError as error:
        return error
    except (_Unreadable, ValueError, RecursionError, MemoryError):
        return None
    return None


def _parsed(text: str) -> list[ast.stmt]:
    """Return the statements of a cell. Raises _Unreadable where Python's parser gives up."""
    with warnings.catch_warnings():  # about a student's "\d"
        warnings.simplefilter("ignore")
        try:
            return ast.parse(text).body
        except (SyntaxError, ValueError):  # it does not run either
            return []
        except (RecursionError, MemoryError):  # a notebook can raise its own limit, and run it
            raise _Unreadable("an expression that is nested too deeply to read") from None


def _defined(node: ast.AST) -> Iterator[str]:
    """Yield the names that a node defines."""
    match node:
        case ast.FunctionDef(name=name) | ast.AsyncFunctionDef(name=name) | ast.ClassDef(name=name):
            yield name
        case ast.Import(names=names) | ast.ImportFrom(names=names):
            yield from (alias.asname or alias.name.split(".")[0] for alias in names)
        case ast.Name(id=name, ctx=ast.Store()):
            yield name


def _bound(node: ast.AST) -> Iterator[str]:
    """Yield the names that a node makes names of the function around it: they are not those of the file."""
    if isinstance(node, ast.arg):
        yield node.arg
    else:
        yield from _defined(node)


def _names(node: ast.AST) -> Iterator[Name]:
    """Yield what a node names."""
    line = getattr(node, "lineno", 1)
    match node:
        case ast.Name(id=name, ctx=ast.Load()) | ast.Attribute(attr=name):
            yield Name(name, line)
        case ast.ImportFrom(module=module, names=names):
            yield from (Name(f"{module}.{alias.name}", line) for alias in names)
        case ast.Import(names=names):
            yield from (Name(alias.name, line) for alias in names)
        case ast.BinOp() | ast.Constant():
            yield from (Name(text, line) for text in _joined(node) if text.replace(".", "").isidentifier())


def _joined(node: ast.expr) -> Iterator[str]:
    """Yield a literal text, or the texts that a sum joins from pieces. Each piece is in one text only."""
    for is_text, run in itertools.groupby(_terms(node), _is_text):
        if is_text:
            yield "".join(piece.value for piece in run)  # type: ignore[attr-defined]  # constants


def _is_text(node: ast.AST) -> bool:
    return isinstance(node, ast.Constant) and isinstance(node.value, str)


def _terms(node: ast.AST) -> list[ast.AST]:
    """Return the terms of a sum of sums, in order. Anything else is its own term."""
    found, waiting = list[ast.AST](), [node]
    while waiting:
        match waiting.pop():
            case ast.BinOp(left=left, op=ast.Add(), right=right):
                waiting += right, left
            case term:
                found.append(term)
    return found


def _is_sum(node: ast.AST) -> bool:
    return isinstance(node, ast.BinOp) and isinstance(node.op, ast.Add)


def _place(lines: Sequence[str], number: int) -> Place:
    return Place(number, lines[number - 1].strip()[:120] if number <= len(lines) else "")
