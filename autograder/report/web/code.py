"""A student's code on a page: highlighted, with the lines marked that messages name."""

from __future__ import annotations

import ast
import io
import re
import tokenize
from collections.abc import Collection, Iterable, Sequence
from functools import cache
from typing import TYPE_CHECKING, NamedTuple

from autograder.model.text import harmless

if TYPE_CHECKING:
    from markupsafe import Markup
    from pygments.formatter import Formatter
    from pygments.lexer import Lexer

LINE = re.compile(r"\(line (\d{1,6}): ")  # as a message of a public check names it; then it quotes the line
LONGEST_LINE = 300  # characters
MOST_LINES = 2000
MOST_OF_PAGE = 5000  # lines of all cells
MOST_HIGHLIGHTED = 50_000  # characters of all cells; a page of them has 1.2 MB at most, and longer code is plain


class CodeLine(NamedTuple):
    """A line of code as HTML, with its number and whether a message names it."""

    number: int
    html: Markup
    marked: bool


def page_cells(texts: Sequence[str], messages: Sequence[str] = ()) -> list[list[CodeLine]]:
    """Return the lines of each cell, as many as a page holds. The lines that ``messages`` name are marked."""
    named = named_lines(messages)
    plain = sum(map(len, texts)) > MOST_HIGHLIGHTED
    found: list[list[CodeLine]] = []
    left = MOST_OF_PAGE
    for text in texts:
        if left <= 0:
            break
        marked = {number for number, _ in named} if len(texts) == 1 else _quoted(text, named)
        found.append(lines(text, marked, plain=plain)[:left])
        left -= len(found[-1])
    return found


def lines(text: str, marked: Collection[int] = (), *, plain: bool = False) -> list[CodeLine]:
    """Return the lines of a text. It need not be Python. ``plain``: they are not highlighted."""
    from markupsafe import Markup, escape  # here, because few commands need them
    from pygments import highlight

    clean = "\n".join(harmless(line.replace("\t", "    "))[:LONGEST_LINE] for line in text.split("\n")[:MOST_LINES])
    if plain:
        return [CodeLine(number, escape(line), number in marked) for number, line in enumerate(clean.split("\n"), 1)]
    lexer, formatter = _tools()
    made = highlight(f"{clean}\n", lexer, formatter).removesuffix("\n").split("\n")
    return [CodeLine(number, Markup(html), number in marked) for number, html in enumerate(made, start=1)]


@cache
def _tools() -> tuple[Lexer, Formatter[str]]:
    from pygments.formatters import HtmlFormatter
    from pygments.lexers import PythonLexer

    return PythonLexer(stripnl=False, ensurenl=False), HtmlFormatter(nowrap=True)


def named_lines(messages: Iterable[str]) -> set[tuple[int, str]]:
    """Return the numbers of the lines that messages name, each with the text that begins with the quoted line."""
    found = ((match, message) for message in messages for match in LINE.finditer(message))
    return {(int(match[1]), message[match.end() :]) for match, message in found}


def _quoted(text: str, named: Iterable[tuple[int, str]]) -> set[int]:
    """Return the named lines of a notebook's cell. Messages name no cell, so a line must also read as it is quoted."""
    rows = text.split("\n")
    return {number for number, quote in named if number <= len(rows) and _reads(rows[number - 1], quote)}


def quoted_in_excerpt(text: str, messages: Iterable[str]) -> set[int]:
    """Return the numbers of an excerpt's lines that messages quote."""
    quotes = [quote for _, quote in named_lines(messages)]
    return {at for at, row in enumerate(text.split("\n"), 1) if any(_reads(row, quote) for quote in quotes)}


def _reads(row: str, quote: str) -> bool:
    """Whether a message's text begins with a line. The line may have lost its comment."""
    line = harmless(row.strip())
    return bool(line) and quote.startswith(line) and quote[len(line) :].lstrip()[:1] in (")", "#")


def excerpt(cells: Sequence[str], part: str) -> str:
    """Return one function or class of a submission without comments and docstrings, in which people name themselves.

    Empty if it is not there, or if that can't be taken out.
    """
    for cell in reversed(cells):  # the last definition counts
        try:
            tree = ast.parse(cell)
        except (SyntaxError, ValueError, RecursionError, MemoryError):
            continue
        found = [node for node in tree.body if isinstance(node, ast.FunctionDef | ast.ClassDef) and node.name == part]
        if found:
            return _bare(cell, found[-1])
    return ""


def _bare(cell: str, node: ast.FunctionDef | ast.ClassDef) -> str:
    """Return the lines of a definition without comments, docstrings and empty lines."""
    rows = cell.split("\n")
    for (row, column), (last_row, last_column) in (*_texts(node, rows), *_comments(cell)):
        for at in range(row, last_row + 1):
            line = rows[at - 1]
            first, last = column if at == row else 0, last_column if at == last_row else len(line)
            rows[at - 1] = line[:first] + " " * (last - first) + line[last:]
    kept = (row.rstrip() for row in rows[node.lineno - 1 : node.end_lineno])
    return "\n".join(row for row in kept if row)


Span = tuple[tuple[int, int], tuple[int, int]]  # the first place and the one after the last: line and column


def _texts(node: ast.AST, rows: Sequence[str]) -> list[Span]:
    """Return where texts stand that are statements, as docstrings do. ``ast`` counts columns in bytes."""

    def column(line: int, count: int) -> int:
        return len(rows[line - 1].encode()[:count].decode("utf-8", "ignore"))

    found = []
    for one in ast.walk(node):
        if isinstance(one, ast.Expr) and isinstance(one.value, ast.Constant) and isinstance(one.value.value, str):
            first, last = one.lineno, one.end_lineno or one.lineno
            ends = (first, column(first, one.col_offset)), (last, column(last, one.end_col_offset or 0))
            found.append(ends)
    return found


def _comments(cell: str) -> list[Span]:
    try:
        tokens = list(tokenize.generate_tokens(io.StringIO(cell).readline))
    except (tokenize.TokenError, SyntaxError):
        return []
    return [(token.start, token.end) for token in tokens if token.type == tokenize.COMMENT]
