"""What docstrings say about shapes."""

from __future__ import annotations

import pytest

from autograder.instructor.authoring.suggest.docstrings import described, shapes_in

SHAPES = {
    "x: (B, T_s, enc_dim).": ["B T_s enc_dim"],
    "gain: (d,).": ["d"],
    "(..., T), the output of a softmax": ["... T"],
    "any number of axes (...)": ["..."],
    "states (B, T, 2 * hidden + 1)": ["B T 2*hidden+1"],
    "position i (row) sees (0, 1), (2, 3)": [],
    "GRU(emb_dim + enc_dim, hidden_dim), and tgt_in[:, t]": [],
    "Additive attention (Bahdanau et al., 2015)": [],
}


@pytest.mark.parametrize("text", SHAPES)
def test_shapes_are_told_from_other_parentheses(text: str) -> None:
    assert [one.axes for one in shapes_in(text)] == SHAPES[text]


GOOGLE = """Attend.

    Args:
        query: (B, T_q, d), the last
            positions.
        key, value: (B, T_k, d).
        mask: None, or bool.

    Returns:
        output (B, T_q, d) and weights (B, T_q, T_k), then (B,).

    Raises:
        ValueError: for (a, b).
"""


def test_entries_of_a_section() -> None:
    found = described(GOOGLE, ["query", "key", "value", "mask"])
    assert found.shapes == {"query": "B T_q d", "key": "B T_k d", "value": "B T_k d"}
    assert found.texts["query"] == "(B, T_q, d), the last positions."
    assert found.results == [("output", "B T_q d"), ("weights", "B T_q T_k"), ("", "B")]
    assert found.listed == []


@pytest.mark.parametrize(
    "text",
    [
        "Attend.\n\nParameters\n----------\nx : (B, T)\n    The words.\n\nReturns\n-------\nscores (B, T)\n",
        "Attend.\n\n:param x: (B, T)\n",
    ],
)
def test_other_styles(text: str) -> None:
    assert described(text, ["x"]).shapes == {"x": "B T"}


def test_sentences() -> None:
    arrow = described("(B, d_s), (B, T, d_h) -> scores (B, T).", ["s", "h"])
    assert (arrow.listed, arrow.results) == (["B d_s", "B T d_h"], [("scores", "B T")])
    named = described(
        "One word; ``fed`` (B, h) is the last state, and step t reads ``x[:, t]`` of (B, T).", ["fed", "x"]
    )
    assert (named.shapes, named.listed) == ({"fed": "B h", "x": "B T"}, [])


def test_a_word_before_a_comma_names_no_result() -> None:
    text = "Returns:\n    The centers after the last step, (K, d), and the labels that belong to them, (N,)."
    assert described(text, []).results == [("", "K d"), ("", "N")]
