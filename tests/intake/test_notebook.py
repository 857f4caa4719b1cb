"""Notebooks: which text reaches the worker, and that IPython's additions leave without a trace."""

from __future__ import annotations

import ast
import contextlib
import copy
import json
import re
import warnings

import nbformat
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from autograder.intake import magics, read
from autograder.intake.errors import Unreadable
from autograder.intake.magics import MAX_PARSED, clean, clean_all
from autograder.intake.notebook import code_cells
from autograder.model import Entry


def book(*sources, **more):
    cells = [{"cell_type": "code", "source": source} for source in sources]
    return {"nbformat": 4, "nbformat_minor": 5, "metadata": {}, "cells": cells, **more}


def dump(value) -> bytes:
    return json.dumps(value).encode()


FULL = nbformat.v4.new_notebook(
    cells=[
        nbformat.v4.new_markdown_cell("# Title\n%not code"),
        nbformat.v4.new_code_cell("import torch\nx = 'é'\n"),
        nbformat.v4.new_raw_cell("raw"),
        nbformat.v4.new_code_cell("y = 2", outputs=[nbformat.v4.new_output("stream", text="hi")]),
        nbformat.v4.new_code_cell(""),
    ]
)
CODE = ("import torch\nx = 'é'\n".encode(), b"y = 2", b"")


@pytest.mark.parametrize("version", [4, 3])
def test_every_version_gives_the_same_code(version):
    older = nbformat.convert(copy.deepcopy(FULL), version)
    assert code_cells(nbformat.writes(older, version).encode()) == CODE


def test_version_2_as_nbformat_upgrades_it():
    old = {
        "nbformat": 2,
        "metadata": {"name": ""},
        "worksheets": [
            {"cells": [{"cell_type": "code", "language": "python", "input": "a = 1", "outputs": []}]},
            {"cells": [{"cell_type": "code", "language": "python", "input": ["b = 2\n", "c = 3"], "outputs": []}]},
        ],
    }
    assert code_cells(dump(old)) == (b"a = 1", b"b = 2\nc = 3")


LENIENT = {
    "byte order mark": b"\xef\xbb\xbf" + dump(book("a = 1")),
    "utf-16": json.dumps(book("a = 1")).encode("utf-16"),
    "source as lines": dump(book(["a = ", "1"])),
    "no metadata": b'{"cells": [{"cell_type": "code", "source": "a = 1"}]}',
    "odd versions": dump(book("a = 1", nbformat="4", nbformat_minor=None)),
    "later version": dump(book("a = 1", nbformat=5)),
    "outputs that break the schema": dump(
        book() | {"cells": [{"cell_type": "code", "source": "a = 1", "outputs": 3, "id": 5, "x": None}]}
    ),
    "cells that are none": dump(book() | {"cells": [None, 3, {}, *book("a = 1")["cells"], {"cell_type": 7}]}),
    "a stray byte in a text cell": dump(book("a = 1")).replace(b'"cells": [', b'"cells": [{"source": "\xe9"}, '),
    "a raw tab in a text cell": dump(book("a = 1")).replace(b'"cells": [', b'"cells": [{"source": "\t"}, '),
    "metadata of Colab": dump(book("a = 1", metadata={"colab": {"provenance": 1}, "kernelspec": 3})),
}


@pytest.mark.parametrize("name", LENIENT)
def test_trifles_cost_nothing(name):
    assert code_cells(LENIENT[name]) == (b"a = 1",)


@pytest.mark.parametrize(
    "raw",
    [
        b"",
        b"x = 1\n",
        b"[]",
        b"3",
        b"null",
        b"{}",
        b'{"cells": 3}',
        b'{"worksheets": [3]}',
        dump(book("a"))[:-4],
        b"[" * 100_000,
        b'{"a":' * 100_000,
        b"\x80\x03]q\x00.",
        b"<<<<<<< HEAD\n" + dump(book("a")),
        b'{"nbformat": ' + b"9" * 5000 + b"}",
    ],
)
def test_what_is_no_notebook_is_unreadable(raw):
    with pytest.raises(Unreadable, match="is not a notebook"):
        code_cells(raw)


def test_more_pieces_than_memory_should_hold_are_refused():
    with pytest.raises(Unreadable, match="of a reasonable size"):
        code_cells(b'{"cells": [' + b"{}," * 2_000_000 + b"{}]}")


def test_a_broken_notebook_says_so_to_the_student(plant):
    root = plant({"ana/bahdanau.ipynb": '{\n "cells": [\n'})
    work = read(Entry("ana", (root / "ana",)), "bahdanau")
    assert (work.status, work.cells) == ("unreadable", ())
    assert work.note == "bahdanau.ipynb is not a notebook: its JSON is broken (line 3)"


def test_an_empty_notebook_is_ready(plant):
    root = plant({"ana.ipynb": json.dumps(book())})
    work = read(Entry("ana", (root / "ana.ipynb",)), "bahdanau")
    assert (work.status, work.kind, work.cells) == ("ready", "notebook", ())


def test_lone_surrogates_become_text_that_python_can_compile():
    (cell,) = code_cells(b'{"cells": [{"cell_type": "code", "source": "x = 1  # \\ud83d"}]}')
    assert compile(cell, "cell", "exec")


@settings(max_examples=100, deadline=None, suppress_health_check=[HealthCheck.too_slow])
@given(st.lists(st.tuples(st.integers(0, 2000), st.integers(0, 255)), min_size=1, max_size=5))
def test_a_mutated_notebook_is_read_or_refused(changes):
    raw = bytearray(nbformat.writes(FULL).encode())
    for place, value in changes:
        raw[place % len(raw)] = value
    with contextlib.suppress(Unreadable):
        assert all(is_utf8(cell) for cell in code_cells(bytes(raw)))


def is_utf8(cell: bytes) -> bool:
    return isinstance(cell, bytes) and cell.decode("utf-8") is not None


JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.text(max_size=5),
    lambda inner: (
        st.lists(inner, max_size=3)
        | st.dictionaries(st.sampled_from(["cells", "worksheets", "source", "cell_type", "input"]), inner, max_size=3)
    ),
    max_leaves=12,
)


@given(JSON)
def test_any_json_is_read_or_refused(value):
    with contextlib.suppress(Unreadable):
        code_cells(dump(value))


# ---------------------------------------------------------------- magics

CLEANED = {
    "line magic": ("%matplotlib inline\nx = 1", "pass\nx = 1"),
    "shell": ("!pip install torch\nx = 1", "pass\nx = 1"),
    "help": ("x = 1\nx?\n?x\nx.y??\nf(1)?  # why", "x = 1\npass\npass\npass\npass"),
    "indented": ("if x:\n    !ls\n    %time f()\nelse:\n\t%cd ..", "if x:\n    pass\n    pass\nelse:\n\tpass"),
    "assigned": ("a = !ls\nb.c[0] = %pwd\nd=!ls", "a = None\nb.c[0] = None\nd= None"),
    "unpacked": ("a, b = !ls\nx = 1", "pass\nx = 1"),
    "bare pip": ("pip install torch\nx = 1", "pass\nx = 1"),
    "over several lines": ("!pip install a \\\n  b \\\n  c\nx = 1", "pass\n\n\nx = 1"),
    "an apostrophe in a shell line": ("!echo don't (\nx = 1\n%pwd", "pass\nx = 1\npass"),
    "modulo on a line of its own": ("%pwd\ny = (7\n  % 4)", "pass\ny = (7\n  % 4)"),
    "modulo after a backslash": ("%pwd\ny = 7 \\\n  % 4", "pass\ny = 7 \\\n  % 4"),
    "magics in a text": ('%pwd\ny = """\n%a\n!b\nc?\n"""', 'pass\ny = """\n%a\n!b\nc?\n"""'),
    "texts in a text": ("%pwd\ny = '''\\''' \"\"\"\n%a'''\n!b", "pass\ny = '''\\''' \"\"\"\n%a'''\npass"),
    "a question in a docstring": ('%pwd\n"""Why?\n%a"""\n!b', 'pass\n"""Why?\n%a"""\npass'),
    "brackets in a text": ("%pwd\ny = '(' + \"[\"  # {\n!ls", "pass\ny = '(' + \"[\"  # {\npass"),
    "a comment with a backslash": ("%pwd\n# so \\\n!ls", "pass\n# so \\\npass"),
    "a question in a comment": ("%pwd\nx = 1  # ok?\n# why?\ns = 'who?'", "pass\nx = 1  # ok?\n# why?\ns = 'who?'"),
    "windows line ends": ("%pwd\r\nx = 1\r\n", "pass\nx = 1\n"),
    "cell magic of python": ("%%time\nx = 1", "\nx = 1"),
    "cell magic with words": ("\n%%capture out --no-stderr\nx = 1\n!ls", "\n\nx = 1\npass"),
    "cell magics stacked": ("%%time\n%%capture\nx = 1", "\n\nx = 1"),
    "timeit": ("%%timeit -n 10\nx = 1", "\nx = 1"),
    "prun": ("%%prun\nx = 1", "\nx = 1"),
    "bash": ("%%bash\ncd x\nls", "\n\n"),
    "html": ("%%html\n<b>\n", "\n\n"),
    "writefile": ("%%writefile a.py\nx = 1", "\n"),
    "javascript": ("%%javascript\nalert(1)", "\n"),
    "shell cell": ("%%!\nls", "\n"),
    "a cell indented as a whole": ("  x = 1\n  if x:\n    y = 2", "x = 1\nif x:\n  y = 2"),
    "a mark of byte order": ("\ufeffx = 1", "x = 1"),
    "own mistakes": ("def f(:\n  pass", "def f(:\n  pass"),
    "own mistakes beside a magic": ("%pwd\ndef f(:\n  pass", "pass\ndef f(:\n  pass"),
}


@pytest.mark.parametrize("name", CLEANED)
def test_magics_are_taken_out(name):
    source, expected = CLEANED[name]
    assert clean(source) == expected


KEPT = [
    "x = (10\n  % 3)",
    'x = """\n%time\n!ls\nwhat?\n"""',
    "x = 5 \\\n % 3",
    "x = '''\n%%bash\n'''",
    "pip = 1\npip if pip else 2",
    "print('really?')\n# ok?",
    "x = '%d' \\\n'!'",
    "   # a comment first\nx = 1",
    "x != 3\nf(a=-1)",
]


@pytest.mark.parametrize("source", KEPT)
def test_python_stays_as_it_is(source):
    ast.parse(source)
    assert clean(source) == source
    # The scanner on its own, as it works when a real magic stands beside, must see no magic here either.
    assert clean(f"%pwd\n{source}") == f"pass\n{source}"


WORDS = ["x = 1", "%time x", "!ls 'a", "y?", "if x:", "%%time", "%%bash", "a = !b", "% 3", "pass", "f'{x}'"]
MARKS = ["(", ")", "[", "}", "'", '"', "'''", '"""', "#", "?", "\\", "é", "\x0c", "\t", "    "]
SNIPPETS = st.sampled_from([*WORDS, *MARKS, "\r\n", "\r", "\n", "\n", "\n"])
CELLS = st.lists(SNIPPETS, max_size=25).map("".join) | st.text(max_size=60)


def parses(source: str) -> bool:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        try:
            ast.parse(source)
        except (SyntaxError, ValueError):
            return False
    return True


@settings(max_examples=400, deadline=None)
@given(CELLS)
def test_cleaning_keeps_python_and_the_number_of_lines(source):
    result = clean(source)
    ends = r"\r\n|\r|\n"
    assert len(re.split(ends, result)) == len(re.split(ends, source))
    if parses(source):
        assert result == source.removeprefix("\ufeff")


@settings(max_examples=200, deadline=None)
@given(
    st.lists(
        st.sampled_from([k for k in KEPT if not k.startswith(" ")] + ["x = 1", "%pwd", "!ls -l", "x?"]), max_size=6
    )
)
def test_pieces_of_python_and_magics_make_python(pieces):
    assert parses(clean("\n".join(pieces)))


@pytest.mark.parametrize(
    "source",
    [
        " \n" * 200_000 + "%x",
        "?" * 300_000,
        "%x\n" + "'" * 300_001,
        "!x\n" + '"""' * 100_001,
        "=" * 300_000 + "!",
        "(" * 100_000 + "\n%x",
        "%x\n" + "a=" * 100_000,
        "%x\n" + "-" * 90_000 + "1",
        "%x\n" + "\\" * 300_000,
        "?  " * 100_000,
    ],
    ids=range(10),
)
def test_hostile_cells_take_no_time(source):
    assert clean(source).count("\n") == source.count("\n")


def test_a_large_cell_is_cleaned_without_the_parser():
    body = "x = '''\n%a\n'''\n" + "y = 1\n" * MAX_PARSED
    assert clean("%pwd\n" + body) == "pass\n" + body


def test_only_so_many_characters_of_a_notebook_are_parsed(monkeypatch: pytest.MonkeyPatch) -> None:
    """A parser takes a second for a megabyte, and a notebook may hold ten."""
    parsed: list[str] = []
    monkeypatch.setattr(magics, "_parses", lambda source: bool(parsed.append(source)))
    plain, suspect = "x = 1\n" * 1000, "%pwd\n" + "x = 1\n" * 10_000
    cells = list(clean_all([suspect, *[plain] * 100, *[suspect] * 20]))
    assert sum(map(len, parsed)) <= MAX_PARSED
    assert len(parsed) == MAX_PARSED // len(suspect)
    assert {cell.splitlines()[0] for cell in cells} == {"x = 1", "pass"}
