"""Text that people read."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterable
from difflib import get_close_matches

LIMIT = 2000  # characters of a message (contract, section 4)
LONGEST_LINE = 10_000  # characters of a line on a terminal; twenty long names fit

# Controls, format characters (direction marks, zero widths), lone surrogates, separators of lines and paragraphs.
_UNSAFE = frozenset({"Cc", "Cf", "Cs", "Zl", "Zp"})
_FILLERS = "\u115f\u1160\u3164\uffa0"  # letters without a glyph
_JOINERS = "\u200c\u200d"  # they shape Persian and Indic words, and emoji of several parts
_VIRAMA = 9  # the combining class of the sign after which a joiner may end a word
_ESCAPE = re.compile(r"\\(?=u[0-9a-f]{4}|U[0-9a-f]{8})")
_ESCAPED = re.compile(r"\\u([0-9a-f]{4})|\\U([0-9a-f]{8})")


def printable(text: str, limit: int = LIMIT) -> str:
    """Return text without line ends, control characters and direction marks, cut to ``limit`` characters."""
    clean = text[: limit + 1]
    if not clean.isprintable():
        clean = "".join(c if c.isprintable() else " " if c in "\n\t" else "?" for c in clean)
    return clean if len(clean) <= limit else clean[: limit - 1] + "…"


def visible(name: str) -> str:
    """Return a name for people: ``harmless``, and different names stay different. ``unescaped`` finds each again."""
    return harmless(_ESCAPE.sub(r"\\u005c", name))


def harmless(text: str) -> str:
    """Return text in which what steers a terminal, turns a line around or has no glyph is an escape.

    Any script stays as it is, with the joiners inside words and emoji.
    """
    if text.isprintable() and not any(filler in text for filler in _FILLERS):
        return text
    return "".join(_escape(c) if _is_unsafe(c) and not _joins(text, at) else c for at, c in enumerate(text))


def one_line(text: str) -> str:
    """Return a sentence for the terminal: ``harmless``, and cut to LONGEST_LINE characters."""
    return harmless(text if len(text) <= LONGEST_LINE else f"{text[: LONGEST_LINE - 1]}…")


def unescaped(text: str) -> str:
    """Return the name that ``visible`` shows as ``text``."""
    return _ESCAPED.sub(lambda match: _character(match[1] or match[2]), text)


def suggestion(name: str, known: Iterable[str]) -> str:
    """Return ``; did you mean d?`` for the nearest known name; empty if none is near."""
    names = list(known)
    alike = [one for one in names if one.lower() == name.lower()] or get_close_matches(name, names, 1)
    return f"; did you mean {alike[0]}?" if alike else ""


def spellings(student: str) -> tuple[str, ...]:
    """Return the names that a text may mean: itself, and the name that ``grades.csv`` shows as this text."""
    bare = student.removeprefix("'")
    return (student, bare, unescaped(bare), unescaped(student))


def escaped_json(data: bytes) -> bytes:
    """Return JSON of the same value in which nothing steers a terminal or turns a line around."""
    text = data.decode("utf-8")
    return re.sub(r"[^\n -~]", lambda match: _in_json(match[0]), text).encode("utf-8")


def _is_unsafe(character: str) -> bool:
    return character in _FILLERS or unicodedata.category(character) in _UNSAFE


def _joins(text: str, at: int) -> bool:
    """Return whether the character at ``at`` is a joiner after a virama, or between two that are not ASCII."""
    if text[at] not in _JOINERS or not at:
        return False
    beside = (text[at - 1], text[at + 1 : at + 2])
    joined = all(c and not c.isascii() and c.isprintable() for c in beside)
    return joined or unicodedata.combining(beside[0]) == _VIRAMA


def _escape(character: str) -> str:
    code = ord(character)
    return f"\\u{code:04x}" if code < 0x10000 else f"\\U{code:08x}"


def _character(digits: str) -> str:
    code = int(digits, 16)
    return chr(code) if code <= 0x10FFFF else f"\\U{digits}"


def _in_json(character: str) -> str:
    if not _is_unsafe(character):
        return character
    units = character.encode("utf-16-be", "surrogatepass").hex()
    return "".join(f"\\u{units[at : at + 4]}" for at in range(0, len(units), 4))
