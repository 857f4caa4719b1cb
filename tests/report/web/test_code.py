"""Code on a page: whatever a student wrote, it is text; and an example names nobody."""

from __future__ import annotations

import ast

import pytest
from hypothesis import given
from hypothesis import strategies as st

from autograder.report.web import code
from tests.paths import ROOT

SOURCE = '''
# Anna Chen, 4711
import torch

def stable_softmax(scores, dim=-1):
    """Anna's softmax — ünïcode before the end."""  # by Anna
    note = "kept"  # Anna again
    """Anna, once more
    over two lines"""
    return scores  # Anna

class BahdanauAttention:
    "Anna"
    def forward(self):  # Anna
        "Anna"; return 1
'''


def test_an_example_has_no_comments_and_no_docstrings() -> None:
    found = code.excerpt([SOURCE], "stable_softmax")
    assert found == 'def stable_softmax(scores, dim=-1):\n    note = "kept"\n    return scores'
    assert "Anna" not in code.excerpt([SOURCE], "BahdanauAttention")
    assert code.excerpt([SOURCE], "BahdanauAttention").endswith("return 1")


def test_the_last_definition_counts_and_broken_cells_are_passed_over() -> None:
    cells = ["def f():\n    return 1", "def f(:\n", "def f():\n    return 2", "x = 1"]
    assert code.excerpt(cells, "f") == "def f():\n    return 2"
    assert code.excerpt(cells, "g") == ""
    assert code.excerpt(["x" + "+x" * 100_000], "f") == ""


@pytest.mark.parametrize("name", ["bahdanau", "masking"])
def test_a_solution_keeps_its_statements(name: str) -> None:
    text = (ROOT / "solutions" / name / f"{name}.py").read_text()
    for node in ast.parse(text).body:
        if isinstance(node, ast.FunctionDef):
            bare = ast.parse(code.excerpt([text], node.name)).body[0]
            assert isinstance(bare, ast.FunctionDef)
            assert [ast.dump(one) for one in bare.body] == [ast.dump(one) for one in node.body[1:]]  # the docstring


@given(st.text(max_size=300))
def test_any_text_becomes_lines_without_markup_of_its_own(text: str) -> None:
    found = code.lines(text, {1})
    assert [line.number for line in found] == list(range(1, len(found) + 1))
    assert len(found) == min(text.count("\n") + 1, code.MOST_LINES)
    assert [line.marked for line in found] == [True] + [False] * (len(found) - 1)
    for line in found:
        bare = line.html.replace("</span>", "")
        while "<span class=" in bare:
            start = bare.index("<span class=")
            bare = bare[:start] + bare[bare.index(">", start) + 1 :]
        assert "<" not in bare


@pytest.mark.parametrize(
    "cells",
    [
        [("1+" * 140 + "\n") * 700],
        ["1\n" * 100_000],
        ["1+" * 50 + "\n"] * 1900,
        ["1"] * 100_000,
        ["<&'" * 33 + "\n"] * 2000,
        [("1+" * 140 + "\n") * 178],
    ],
)
def test_no_code_makes_a_large_page(cells: list[str]) -> None:
    """Each is as long as code that is kept, and most have a mark for every letter."""
    found = code.page_cells(cells)
    assert sum(map(len, found)) <= code.MOST_OF_PAGE
    assert sum(len(line.html) for cell in found for line in cell) < 1_300_000


def test_long_code_is_plain_and_still_text() -> None:
    long = "x = '<b>'\n" * 6000
    [[first, *others]] = code.page_cells([long], ["raised E (line 1: x)"])
    assert first == (1, "x = &#39;&lt;b&gt;&#39;", True)
    assert len(others) == code.MOST_LINES - 1
    [[short, *_]] = code.page_cells(["x = '<b>'"])
    assert "<span" in short.html


def test_lines_that_messages_name() -> None:
    found = code.named_lines(["raised TypeError (line 12: return x)", "no (line x", "(line 7: y) and (line 9: z)"])
    assert found == {(12, "return x)"), (7, "y) and (line 9: z)"), (9, "z)")}


def marked(cells: list[str], *messages: str) -> list[tuple[int, int]]:
    """The places that are marked: the cell and the line."""
    return [
        (at, line.number) for at, cell in enumerate(code.page_cells(cells, messages)) for line in cell if line.marked
    ]


def test_in_a_notebook_the_cell_with_the_quoted_line_is_marked() -> None:
    cells = [
        "import torch\n\nx = 1",
        "def f(x):\n    # <b>\n    return torch.bmmm(x)  # mine",
        "y = 1\ny = 2\nreturn torch",
    ]
    assert marked(cells, "f raised E (line 3: return torch.bmmm(x)  # mine). Called: f(x)") == [(1, 3)]
    assert marked(cells, "raised E (line 9: return torch.bmmm(x))", "raised E (line 2: )") == []


def test_an_example_marks_the_line_that_a_message_quotes() -> None:
    text = "def f(x):\n    y = x\n    return torch.bmmm(y)"
    assert code.quoted_in_excerpt(text, ["f raised E (line 40: return torch.bmmm(y)  # mine). Called: f(x)"]) == {3}
    assert (
        code.quoted_in_excerpt(text, ["values differ. Called: f(x)", "f raised E (line 3: return torch.bmmm(yy))"])
        == set()
    )
