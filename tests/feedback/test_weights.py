"""Attention weights in words and as a table of colours."""

from __future__ import annotations

import re
from html.parser import HTMLParser

from hypothesis import given
from hypothesis import strategies as st
from msgspec.structs import replace

from autograder.feedback import weights
from autograder.model import WeightPicture

NUMBER = st.none() | st.floats(-1e9, 1e9)
ROWS = st.integers(1, 5).flatmap(lambda width: st.lists(st.lists(NUMBER, min_size=width, max_size=width), max_size=5))


def picture(actual: list[list[float | None]], expected: list[list[float | None]]) -> WeightPicture:
    return WeightPicture("<b>", "c", ("T_q", "T_k"), tuple(map(tuple, actual)), tuple(map(tuple, expected)))


def test_words_say_where_and_what() -> None:
    assert weights.words(picture([[0.25, 0.75]], [[0.5, 0.5]])) == (
        "1 by 2 weights. The largest difference is in row 0, column 0: got 0.25, expected 0.5."
    )
    assert weights.words(picture([[0.5001, 0.5]], [[0.5, 0.5]])) == "1 by 2 weights. They are as expected."
    assert weights.words(picture([[None, 0.5]], [[0.5, 0.5]])) == (
        "1 by 2 weights. Some that were returned are not finite, and stand as -."
    )


WORDS = (("<i>",), ("un", "deux\u202e"))
MASKED = replace(
    picture([[0.25, 0.75]], [[1.0, 0.0]]), mask=((True, False),), words=WORDS, entropies=((0.5623,), (None,))
)


def test_labels_are_words_or_positions_from_0() -> None:
    assert weights.labels(MASKED) == (["<i>"], ["un", "deux\\u202e"])
    assert weights.labels(replace(MASKED, words=((), ("one too few",)))) == (["0"], ["0", "1"])
    assert "in row <i>, column un: got 0.25, expected 1." in weights.words(MASKED)


def test_what_the_mask_hides_is_a_sign_unless_it_is_not_0() -> None:
    assert [weights.cell(value, True) for value in (0.0, 0.2, None)] == ["×", "0.20×", "-×"]
    assert weights.cell(-0.2, False, signed=True) == "-0.20"
    assert [weights.is_masked(MASKED, 0, column) for column in range(3)] == [False, True, False]
    assert weights.legend(MASKED) == "H is the entropy of a row, in nats. × marks what the mask hides."
    assert weights.legend(replace(MASKED, mask=((True, True),), entropies=((), ()))) == ""


def test_a_table_has_labels_entropies_and_the_mask_and_escapes_words() -> None:
    table = weights.table(MASKED)
    assert "<i>" not in table
    assert table.count("&lt;i&gt;") == 4  # at a row of each panel, and in the sentence
    assert (table.count(">H<"), table.count(">0.56<"), table.count(">-<")) == (2, 1, 1)
    assert re.findall(r">(\S*×)<", table) == ["0.75×", "×", "0.75×"]


@given(ROWS, ROWS)
def test_a_table_is_whole_and_holds_numbers_and_words_of_ours(
    actual: list[list[float | None]], expected: list[list[float | None]]
) -> None:
    class Tags(HTMLParser):
        depth = 0
        seen: set[str] = set()

        def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
            self.depth += 1
            self.seen.add(tag)
            assert {name for name, _ in attrs} <= {"style"}

        def handle_endtag(self, tag: str) -> None:
            self.depth -= 1

    tags = Tags()
    tags.feed(weights.table(picture(actual, expected)))
    assert tags.depth == 0
    assert tags.seen <= {"div", "table", "tr", "td", "p"}
