"""How the bytes of a submission become text, on both sides of the wall."""

from __future__ import annotations

import codecs

import pytest

from autograder.protocol.source_text import CODECS, lines_of, shown_text, text_of

HONEST = {
    "utf-8": ("x = 'ä'", "utf-8"),
    "byte-order-mark": ("x = 'ä'", "utf-8-sig"),
    "both": ("# coding: utf-8\nx = 'ä'", "utf-8-sig"),
    "emacs": ("# -*- coding: utf-8-unix -*-\nx = 'ä'", "utf-8"),
    "latin-1": ("# -*- coding: latin-1 -*-\nx = 'ä'", "latin-1"),
    "second-line": ("#!/usr/bin/python\n# vim: set fileencoding=iso-8859-15 :\nx = '€'", "iso-8859-15"),
    "windows": ("# coding: cp1252\r\nx = '€'", "cp1252"),
    "old-mac": ("# first\r# coding: mac-roman\rx = 'ä'", "mac-roman"),
    "chinese": ("# coding: gbk\nx = '注意力'", "gbk"),
    "after-a-form-feed": ("\x0c# coding: latin-1\nx = 'ä'", "latin-1"),
    "after-code": ("x = 1\n# coding: latin-1\ny = 'ä'", "utf-8"),
    "in-the-third-line": ("#\n#\n# coding: latin-1\ny = 'ä'", "utf-8"),
}


@pytest.mark.parametrize(("text", "encoding"), HONEST.values(), ids=HONEST)
def test_a_script_is_read_as_python_reads_it(text: str, encoding: str) -> None:
    data = text.encode(encoding)
    assert text_of(data, "script") == text
    compile(data, "student.py", "exec")  # Python itself takes it, too


@pytest.mark.parametrize("name", sorted(CODECS))
def test_no_codec_turns_the_letters_of_a_program_into_others(name: str) -> None:
    assert codecs.lookup(name)
    letters = bytes([*range(32, 127), *b"\t\n\x0c"])
    assert letters.decode(name).replace("¥", "\\").replace("‾", "~") == letters.decode("ascii")


@pytest.mark.parametrize(
    ("data", "words"),
    [
        (b"# coding: utf-7\nx = 1", "'utf-7', which can't be used"),
        (b"# coding: unicode_escape\nx = 1", "'unicode_escape', which can't be used"),
        (b"# coding: rot13\nk = 1", "'rot13', which can't be used"),
        (b"# coding: punycode\nx = 1", "can't be used"),
        (b"# coding: no-such-codec\n", "can't be used"),
        (b"# coding: " + b"a" * 1000, f"'{'a' * 40}', which"),
        (b"\xef\xbb\xbf# coding: latin-1\nx = 1", "is marked as UTF-8, but names the encoding 'latin-1'"),
        (b"x = 1\r\ny = '\xe4'", "line 2 is not UTF-8 (byte 0xe4). Save the file as UTF-8."),
        (b"# coding: ascii\ny = '\xe4'", "line 2 is not ascii (byte 0xe4)"),
        ("x = 1".encode("utf-16"), "line 1 is not UTF-8"),
    ],
)
def test_a_script_that_cannot_be_read_says_why(data: bytes, words: str) -> None:
    with pytest.raises(SyntaxError) as told:
        text_of(data, "script")
    assert words in str(told.value)
    assert len(str(told.value)) < 200
    assert shown_text(data, "script") == data.decode("utf-8", "replace")


def test_python_is_not_asked_for_unknown_encodings(monkeypatch: pytest.MonkeyPatch) -> None:
    """It keeps every name that it was asked for, and a name may be as long as a file."""
    import encodings

    before = dict(encodings._cache)  # type: ignore[attr-defined]
    with pytest.raises(SyntaxError):
        text_of(b"# coding: a_name_that_nobody_knows\n", "script")
    assert encodings._cache == before  # type: ignore[attr-defined]


def test_a_notebook_is_text_whatever_its_comments_say() -> None:
    assert text_of("# coding: latin-1\nx = 'ä'".encode(), "notebook") == "# coding: latin-1\nx = 'ä'"
    assert text_of(b"\xff", "notebook") == "�"


def test_lines_end_where_they_end_for_python() -> None:
    assert lines_of("a\x0cb\x1c\u2028\rc\r\nd\n") == ["a\x0cb\x1c\u2028\n", "c\n", "d\n"]
