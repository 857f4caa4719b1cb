"""Scripts in every encoding, and such as are hard on the compiler."""

from __future__ import annotations

from .base import SOLUTION, Bad, Data, fine, inside, script

MB = 1_000_000


def fails(data: Data, says: str = "The file could not be run") -> Bad:
    """Python cannot compile or run it."""
    return Bad(script(data), "import-error", says)


def large(data: Data) -> Bad:
    return Bad(script(data), "unreadable", "larger than 10 MB")


def nested_blocks() -> bytes:
    return b"".join(b" " * depth + b"if 1:\n" for depth in range(150)) + b" " * 150 + b"pass\n"


INPUTS: dict[str, Bad] = {
    "py-null-byte": fails(SOLUTION + b"\0"),
    "py-nothing-but-nulls": fails(bytes(10_000)),
    "py-unknown-cookie": fails(b"# -*- coding: klingon -*-\n" + SOLUTION),
    "py-cookie-that-is-no-text": fails(b"# -*- coding: rot13 -*-\n" + SOLUTION),
    "py-cookie-of-10-kb": fails(b"# coding: " + b"x" * 10_000 + b"\n" + SOLUTION),
    "py-cookie-against-bom": fails(b"\xef\xbb\xbf# coding: latin-1\n" + SOLUTION),
    "py-utf-16": fails(SOLUTION.decode().encode("utf-16")),
    "py-utf-32": fails(SOLUTION.decode().encode("utf-32")),
    "py-latin-1": fails(b"x = 'caf\xe9'\n" + SOLUTION),
    "py-surrogates": fails(b"x = '\xed\xa0\x80'\n" + SOLUTION),
    "py-overlong-utf-8": fails(b"x = '\xc0\xaf'\n" + SOLUTION),
    "py-mixed-tabs": fails(b"if 1:\n\tx = 1\n        y = 2\n" + SOLUTION),
    "py-deep-parentheses": fails(b"x = " + b"(" * 50_000 + b")" * 50_000),
    "py-deep-lists": fails(b"x = " + b"[" * 50_000),
    "py-deep-minus": fails(b"x = " + b"-" * 200_000 + b"1"),
    "py-deep-not": fails(b"x = " + b"not " * 100_000 + b"1"),
    "py-long-sum": fails(b"x = 1" + b" + 1" * 200_000),
    "py-long-attributes": fails(b"x = a" + b".a" * 200_000),
    "py-nested-blocks": fails(nested_blocks()),
    "py-nested-f-strings": fails(b'x = f"' + b"{f'" * 200),
    "py-giant-integer": fails(b"x = " + b"9" * 100_000),
    "py-giant-power": fails(b"x = (" + b"9**" * 5 + b"9) // "),
    "py-picture": fails(b"\x89PNG\r\n\x1a\n" + bytes(range(256))),
    "py-html": fails(b"<!doctype html><script>alert(1)</script>"),
    "py-terminal-escapes": fails(b"raise ValueError('\\x1b[2J\\x00\\u202e<script>\\x9b31m')"),
    "py-notebook-in-a-script": fails(b'{"cells": [], "metadata": nul}'),
    "py-50-mb": large(lambda: b"#" * (50 * MB)),
    "py-50-mb-of-lines": large(lambda: b"\n" * (50 * MB)),
    "py-empty": Bad(script(b""), "graded"),
    "py-comments-only": Bad(script(b"# to do\n" * 1000), "graded"),
    "py-other-encoding-in-its-name": Bad(inside("bahdanau.py.txt"), "missing", "found bahdanau.py.txt"),
    "py-bom": fine(script(b"\xef\xbb\xbf" + SOLUTION)),
    "py-crlf": fine(script(SOLUTION.replace(b"\n", b"\r\n"))),
    "py-cr": fine(script(SOLUTION.replace(b"\n", b"\r"))),
    "py-mixed-line-ends": fine(script(SOLUTION.replace(b"\n", b"\r\n", 40))),
    "py-form-feeds": fine(script(b"\x0c\n" + SOLUTION.replace(b"\n\n\n", b"\n\x0c\n\n"))),
    "py-latin-1-that-says-so": fine(script(b"# coding: latin-1\n# caf\xe9\n" + SOLUTION)),
    "py-no-line-end": fine(script(SOLUTION.rstrip())),
    "py-a-line-of-9-mb": fine(script(lambda: SOLUTION + b"\nx = '" + b"a" * (9 * MB) + b"'\n")),
    "py-a-comment-of-9-mb": fine(script(lambda: SOLUTION + b"\n#" + b"a" * (9 * MB))),
}
