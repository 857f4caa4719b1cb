"""Turns the bytes of a submission into text: one rule for the worker, which runs it, and the grader, which reads it.

If each side decoded for itself, a script could show the grader another text than the one that runs.
"""

from __future__ import annotations

import codecs
import io
import re
from encodings import normalize_encoding
from encodings.aliases import aliases
from typing import Literal

Kind = Literal["script", "notebook"]

# What students' editors write. Other codecs can turn text into another text (utf-7, unicode_escape), or take long.
WESTERN = {f"cp125{number}" for number in range(9)} | {f"iso8859_{number}" for number in range(2, 17) if number != 12}
EASTERN = {"cp932", "cp949", "cp950", "gb2312", "gbk", "gb18030", "big5", "shift_jis", "euc_jp", "euc_kr"}
CODECS = WESTERN | EASTERN | {"ascii", "utf_8", "latin_1", "koi8_r", "koi8_u", "mac_roman", "cp437", "cp850"}
LINE_END = re.compile(rb"\r\n|\r|\n")
BLANK = re.compile(rb"[ \t\f]*(?:#[^\n]*)?")
COOKIE = re.compile(rb"[ \t\f]*#.*?coding[:=][ \t]*([-\w.]+)")
UTF_8, LATIN_1 = re.compile(r"utf-8(-|$)"), re.compile(r"(latin-1|iso-8859-1|iso-latin-1)(-|$)")
MAX_SHOWN = 40  # characters of an encoding's name


def text_of(cell: bytes, kind: Kind) -> str:
    """Return the text of a script or of a notebook's cell. Raises SyntaxError for a script that can't be decoded.

    A script follows PEP 263: a byte order mark, or an encoding named in a comment of its first two lines, else UTF-8.
    A notebook is text already, and a comment in it means nothing.
    """
    if kind == "notebook":
        return cell.decode("utf-8", "replace")
    data = cell.removeprefix(codecs.BOM_UTF8)
    named = _cookie(data)
    codec = _codec(named)
    if data is not cell and codec != "utf_8":
        raise SyntaxError(f"the file is marked as UTF-8, but names the encoding {named!r}. Save it as UTF-8.")
    try:
        return data.decode(codec)
    except UnicodeDecodeError as error:
        line = len(LINE_END.findall(data, 0, error.start)) + 1
        what = f"line {line} is not {named or 'UTF-8'} (byte 0x{data[error.start]:02x})"
        raise SyntaxError(f"{what}. Save the file {'as it says' if named else 'as UTF-8'}.") from None


def shown_text(cell: bytes, kind: Kind) -> str:
    """Return the text for people, who also want to see a script that can't be decoded."""
    try:
        return text_of(cell, kind)
    except SyntaxError:
        return cell.decode("utf-8", "replace")


def lines_of(text: str) -> list[str]:
    """Return the lines of a source with their ends, as Python counts them: a form feed ends none."""
    return list(io.StringIO(text, newline=None))


def _cookie(data: bytes) -> str:
    """Return the encoding that a comment in the first two lines names, or "". No code may precede it."""
    for line in LINE_END.split(data, maxsplit=2)[:2]:
        if found := COOKIE.match(line):
            return found[1].decode("ascii", "replace")
        if not BLANK.fullmatch(line):
            break
    return ""


def _codec(name: str) -> str:
    """Return Python's name of a codec. Raises SyntaxError for one that scripts may not use.

    Python is not asked for an unknown name: it keeps every name that it was ever asked for.
    """
    plain = name.lower().replace("_", "-")
    if not name or UTF_8.match(plain):  # also ``utf-8-unix``, which Emacs writes
        return "utf_8"
    if LATIN_1.match(plain):
        return "latin_1"
    short = normalize_encoding(plain[:MAX_SHOWN])
    codec = aliases.get(short, short)
    if codec not in CODECS:
        raise SyntaxError(f"the file names the encoding {name[:MAX_SHOWN]!r}, which can't be used. Save it as UTF-8.")
    return codec
