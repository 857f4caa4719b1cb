"""Notebooks that are broken, huge or odd."""

from __future__ import annotations

import json
from typing import Any

from .base import SOLUTION, Bad, Data, fine, notebook

TEXT = SOLUTION.decode()
MB = 1_000_000


def book(*sources: Any, **more: Any) -> bytes:
    """A notebook of code cells."""
    cells = [{"cell_type": "code", "source": source, "metadata": {}, "outputs": []} for source in sources]
    return json.dumps({"cells": cells, "metadata": {}, "nbformat": 4, "nbformat_minor": 5, **more}).encode()


def around(middle: bytes) -> bytes:
    """The right notebook with something else among its keys."""
    return b'{"x": ' + middle + b", " + book(TEXT)[1:]


def bare() -> bytes:
    return json.dumps({"cells": [{"cell_type": "code", "source": TEXT}]}).encode()


def keys() -> bytes:
    return around(b"{" + b",".join(b'"%07x":1' % number for number in range(MB)) + b"}")


def broken(data: Data, says: str = "is not a notebook") -> Bad:
    return Bad(notebook(data), "unreadable", says)


def useless(data: Data) -> Bad:
    """It can be read and run, and there is nothing in it."""
    return Bad(notebook(data), "graded")


INPUTS: dict[str, Bad] = {
    "nb-empty-file": broken(b""),
    "nb-no-json": broken(SOLUTION, "its JSON is broken (line 1)"),
    "nb-truncated": broken(book(TEXT)[:-40], "its JSON is broken"),
    "nb-more-after-the-end": broken(book(TEXT) + b"{}", "its JSON is broken"),
    "nb-list": broken(b"[]", "JSON of another kind"),
    "nb-number": broken(b"1", "JSON of another kind"),
    "nb-no-cells": broken(b'{"nbformat": 4}', "it has no cells"),
    "nb-cells-are-an-object": broken(b'{"cells": {"0": {}}}', "no list of cells"),
    "nb-cells-are-null": broken(b'{"cells": null}', "no list of cells"),
    "nb-deep": broken(b"[" * 100_000 + b"]" * 100_000),
    "nb-deep-source": broken(
        b'{"cells": [{"cell_type": "code", "source": ' + b"[" * 5000 + b"]" * 5000 + b"}]}"
    ),
    "nb-many-lists": broken(lambda: b"[" * (3 * MB), "of a reasonable size"),
    "nb-null-bytes": broken(bytes(1000)),
    "nb-null-bytes-at-the-end": broken(book(TEXT) + bytes(100)),
    "nb-50-mb-of-code": broken(lambda: book("x = 1\n" * (8 * MB)), "more than 10 MB of code"),
    "nb-50-mb-of-magics": broken(lambda: book("%a\n" * (12 * MB)), "more than 10 MB of code"),
    "nb-50-mb-of-short-lines": broken(
        lambda: b'{"cells":[{"cell_type":"code","source":["ab"' + b',"ab"' * (10 * MB) + b"]}]}",
        "more than 10 MB of code",
    ),
    "nb-50-mb-and-an-emoji": broken(lambda: book("😀" + "a" * (50 * MB)), "more than 10 MB of code"),
    "nb-30-mb-that-is-not-quite-json": broken(
        lambda: around(b"[NaN" + b",1" * (15 * MB) + b"]"), "of a reasonable size"
    ),
    "nb-100-000-cells": broken(lambda: book(*["%time"] * 100_000), "more than 10000 code cells"),
    "nb-giant-integer-as-source": broken(
        b'{"cells": [{"cell_type": "code", "source": ' + b"9" * 10_000 + b"}]}", "its JSON is broken"
    ),
    "nb-source-is-a-number": useless(book(5)),
    "nb-source-is-null": useless(book(None)),
    "nb-source-is-an-object": useless(book({"text": TEXT})),
    "nb-source-is-a-list-of-numbers": useless(book([1, 2.5, True])),
    "nb-cells-of-another-kind": useless(b'{"cells": [1, null, "x", [], {}, {"cell_type": ["code"]}]}'),
    "nb-magics-only": useless(
        book("%matplotlib inline\n!pip install x", "%%bash\nrm -rf /", "?print", "ls?")
    ),
    "nb-null-in-source": useless(book("x = '\0'")),
    "nb-cell-type-of-20-mb": useless(
        lambda: b'{"cells": [{"cell_type": [0' + b",0" * (10 * MB) + b'], "source": "x"}]}'
    ),
    "nb-other-version": fine(notebook(book(TEXT, nbformat=99, nbformat_minor="x"))),
    "nb-bare": fine(notebook(bare)),
    "nb-null-among-lines": fine(notebook(book([None, *TEXT.splitlines(keepends=True), 7]))),
    "nb-nan": fine(notebook(around(b"NaN"))),
    "nb-giant-integer": fine(notebook(around(b"9" * 10_000))),
    "nb-bom": fine(notebook(b"\xef\xbb\xbf" + book(TEXT))),
    "nb-utf-16": fine(notebook(book(TEXT).decode().encode("utf-16"))),
    "nb-utf-32": fine(notebook(book(TEXT).decode().encode("utf-32"))),
    "nb-latin-1": fine(notebook(around(b'"caf\xe9"'))),
    "nb-raw-tabs-in-text": fine(notebook(around(b'"a\tb\x01"'))),
    "nb-lone-surrogates": fine(notebook(book(TEXT, "x = '\ud800\udfff\ud800'"))),
    "nb-duplicate-keys": fine(notebook(b'{"cells": [], ' + book(TEXT)[1:])),
    "nb-50-mb-of-output": fine(notebook(lambda: around(b'"' + b"A" * (50 * MB) + b'"'))),
    "nb-9-mb-of-keys": fine(notebook(keys)),
    "nb-9-000-cells": fine(notebook(lambda: book(TEXT, *["x = 1"] * 9000))),
    "nb-a-line-of-spaces": fine(notebook(book(TEXT, "%x\n" + " " * 300_000))),
    "nb-a-text-of-megabytes": fine(notebook(lambda: book(TEXT, "%x\nx = '" + "a" * (4 * MB) + "'\nx?"))),
    "nb-broken-cells": fine(notebook(book(TEXT, "def (", "\x0c)", "1/0", "'''", "raise SystemExit"))),
}
