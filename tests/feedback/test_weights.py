"""Attention weights in words and as a table of colours."""

from __future__ import annotations

from html.parser import HTMLParser

from hypothesis import given
from hypothesis import strategies as st

from autograder.feedback import weights
from autograder.model import WeightPicture

NUMBER = st.none() | st.floats(-1e9, 1e9)
ROWS = st.integers(1, 5).flatmap(lambda width: st.lists(st.lists(NUMBER, min_size=width, max_size=width), max_size=5))


def picture(actual: list[list[float | None]], expected: list[list[float | None]]) -> WeightPicture:
    return WeightPicture("<b>", "c", ("T_q", "T_k"), tuple(map(tuple, actual)), tuple(map(tuple, expected)))


def test_words_say_where_and_what() -> None:
    assert weights.words(picture([[0.25, 0.75]], [[0.5, 0.5]])) == (
        "1 by 2 weights. The largest difference is in row 1, column 1: got 0.25, expected 0.5."
    )
    assert weights.words(picture([[0.5001, 0.5]], [[0.5, 0.5]])) == "1 by 2 weights. They are as expected."
    assert weights.words(picture([[None, 0.5]], [[0.5, 0.5]])) == (
        "1 by 2 weights. Some that were returned are not finite."
    )


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
