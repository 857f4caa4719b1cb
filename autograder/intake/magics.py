"""Remove IPython's additions to Python from a cell without moving any line.

A line can be a magic only where a statement may start. So the cell is scanned for strings, comments and brackets, and a
``%`` that is an operator or part of a string stays.
"""

from __future__ import annotations

import ast
import re
import warnings
from collections.abc import Iterable, Iterator

# Cell magics whose body is Python that runs in the notebook. Only their first line is removed.
PYTHON_BODIES = frozenset({"time", "timeit", "capture", "prun", "debug", "memit", "mprun", "snakeviz", "wandb"})
MAX_PARSED = 200_000  # characters of a notebook; what goes beyond is only scanned, which needs no memory

_LINE_END = re.compile(r"\r\n|\r|\n")
_SUSPECT = re.compile(
    r"^[ \t]*(?:[%!?]|(?:pip3?|conda|mamba)[ \t])|\?[ \t]*(?:\#.*)?\r?$|=[ \t]*[!%]|\A\s*[ \t]", re.MULTILINE
)
_CELL_MAGIC = re.compile(r"[ \t]*%%(\w*)")
_LINE_MAGIC = re.compile(r"[ \t]*(?:[%!?]|(?:pip3?|conda|mamba)[ \t]+(?:install|uninstall|update|list|show|freeze)\b)")
_ASSIGNED = re.compile(r"([ \t]*[A-Za-z_][\w.]*(?:\[[^\]=]*\])?[ \t]*=)[ \t]*(?:!|%[ \t]*[A-Za-z_])")
_UNPACKED = re.compile(r"[^=\#'\"%!]++=[ \t]*(?:!|%[ \t]*[A-Za-z_])")
# A possessive repeat (*+) does not backtrack. Otherwise lines of megabytes would need memory for every character.
_TOKEN = re.compile(r"""\#.*|\"{3}|'{3}|"(?:\\.|[^"\\])*+"?|'(?:\\.|[^'\\])*+'?|[()\[\]{}]""")
_TRIPLE_END = {
    quote * 3: re.compile(rf"(?:\\.|[^\\{quote}]|{quote}(?!{quote}{quote}))*+{quote}{{3}}") for quote in "\"'"
}


def clean_all(sources: Iterable[str]) -> Iterator[str]:
    """Yield the cells of a notebook as plain Python."""
    left = MAX_PARSED
    for source in sources:
        cleaned = clean(source, left)
        left -= len(source) * bool(_SUSPECT.search(source.removeprefix("\ufeff")))
        yield cleaned


def clean(source: str, most: int = MAX_PARSED) -> str:
    """Return ``source`` as plain Python, line for line. Plain Python of at most ``most`` characters stays as it is.

    The student's own syntax errors stay: the worker reports them.
    """
    source = source.removeprefix("\ufeff")
    if not _SUSPECT.search(source) or (len(source) <= most and _parses(source)):
        return source
    lines = _dedented(_without_cell_magic(_LINE_END.split(source)))
    return "\n".join(_statements(lines))  # Python treats all three line ends alike


def _parses(source: str) -> bool:
    with warnings.catch_warnings():  # a student's "\d" is no concern of the TA
        warnings.simplefilter("ignore")
        try:
            ast.parse(source)
        except (SyntaxError, ValueError, RecursionError, MemoryError):
            return False
    return True


def _without_cell_magic(lines: list[str]) -> list[str]:
    """Return the lines with a leading ``%%name`` blanked, and with its body if that is not Python."""
    lines = list(lines)
    for index, line in enumerate(lines):
        if not line.strip():
            continue
        magic = _CELL_MAGIC.match(line)
        if magic is None:
            break
        if magic[1] not in PYTHON_BODIES:
            return [""] * len(lines)
        lines[index] = ""
    return lines


def _dedented(lines: list[str]) -> list[str]:
    """Return the lines without the first line's indentation, as IPython does."""
    first = next((line for line in lines if line.strip()), "")
    margin = first[: len(first) - len(first.lstrip())]
    return [line.removeprefix(margin) for line in lines]


def _statements(lines: list[str]) -> Iterator[str]:
    """Yield the lines. Magics are replaced by a statement that does nothing."""
    state = _Scan()
    continues = False  # the line above is a magic that continues here
    for line in lines:
        if continues:
            continues = line.endswith("\\")
            yield ""
            continue
        harmless = _harmless(line) if state.at_start else None
        if harmless is None:
            state.feed(line)
            yield line
        else:
            continues = line.endswith("\\")
            yield harmless


def _harmless(line: str) -> str | None:
    """Return the replacement for a line with a magic; None if it holds none."""
    indent = line[: len(line) - len(line.lstrip())]
    if _LINE_MAGIC.match(line):
        return indent + "pass"
    if assigned := _ASSIGNED.match(line):
        return assigned[1] + " None"
    if _UNPACKED.match(line) or _Scan().feed(line).endswith("?"):  # "f?" asks for help
        return indent + "pass"
    return None


class _Scan:
    """The state of a scan: where in a statement the next line begins."""

    def __init__(self) -> None:
        self.depth = 0  # open brackets
        self.quote = ""  # the open triple quotes
        self.continued = False

    @property
    def at_start(self) -> bool:
        """Return whether a statement may begin here."""
        return not (self.depth or self.quote or self.continued)

    def feed(self, line: str) -> str:
        """Scan one line. Return it without strings, brackets and comments."""
        code: list[str] = []
        place = 0
        token = None
        while place < len(line):
            if self.quote:
                end = _TRIPLE_END[self.quote].match(line, place)
                if end is None:
                    return ""
                place, self.quote = end.end(), ""
                continue
            token = _TOKEN.search(line, place)
            code.append(line[place : token.start() if token else None])
            if token is None:
                break
            place = token.end()
            self._take(token[0])
        commented = token is not None and token[0][0] == "#"
        self.continued = line.endswith("\\") and not commented
        return "".join(code).rstrip()

    def _take(self, token: str) -> None:
        if token in _TRIPLE_END:
            self.quote = token
        elif token in ("(", "[", "{"):
            self.depth += 1
        elif token in (")", "]", "}"):
            self.depth = max(0, self.depth - 1)
