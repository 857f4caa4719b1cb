"""Sizes of axes: primes that differ, and what rules ask."""

from __future__ import annotations

from typing import Any

import pytest

from autograder.assignments.kit import sizes as sizes_of
from autograder.assignments.kit.sizes import SizesError, size


def drawn(axes: str, turn: int = 0, rules: Any = None, **given: int) -> dict[str, int]:
    """Sizes for some axes."""
    return dict(sizes_of.drawn(axes.split(), rules or {}, turn, given))


def test_sizes_are_primes_that_differ_and_others_in_each_turn() -> None:
    assert drawn("B T d") == {"B": 2, "T": 3, "d": 5}
    assert drawn("B T d", 1) == {"B": 5, "T": 7, "d": 11}
    assert drawn("B T d", T=5) == {"B": 2, "T": 5, "d": 3}
    assert drawn("T", T=0) == {"T": 0}


@pytest.mark.parametrize("turn", range(3))
def test_rules_hold_in_every_turn_and_sizes_differ(turn: int) -> None:
    rules = {"d": size(multiple_of=2), "n": size(at_least=6), "h": size(at_least=9, multiple_of=4), "V": 40}
    found = drawn("B T d n h V", turn, rules)
    assert found["d"] % 2 == 0
    assert found["n"] >= 6
    assert found["h"] >= 9
    assert found["h"] % 4 == 0
    assert found["V"] == 40
    assert len(set(found.values())) == len(found)


def test_formulas_follow_the_sizes_that_are_given() -> None:
    rules = {"T": "old + new", "d": "2 * half", "less": "T - 1"}
    assert drawn("B T d less", rules=rules) == {"B": 2, "old": 3, "new": 5, "half": 7, "T": 8, "d": 14, "less": 7}
    assert drawn("T", rules=rules, old=1, new=1)["T"] == 2
    assert drawn("T", rules=rules, old=1, new=1, T=2)["T"] == 2


def test_a_huge_least_size() -> None:
    assert drawn("d", rules={"d": size(at_least=500)})["d"] >= 500


@pytest.mark.parametrize(
    ("given", "rules", "words"),
    [
        ({"D": 4}, {}, "sizes names D, but the axes are B, d; did you mean d?"),
        ({"d": 5}, {"d": size(multiple_of=2)}, "the size of d is 5; expected a multiple of 2, at least 1"),
        ({"d": 2.0}, {}, "the size of d is 2.0; expected a whole number"),
        ({"d": 9, "k": 1}, {"d": "k + 1"}, "d is k + 1 = 2, not 9; leave it out of sizes"),
        ({"k": 1}, {"d": "k - 3"}, "the size k - 3 is -2"),
        ({}, {"d": "k", "k": "d"}, "need each other"),
    ],
)
def test_sizes_that_do_not_fit(given: dict[str, int], rules: Any, words: str) -> None:
    with pytest.raises(SizesError, match=words.replace("+", r"\+")):
        drawn("B d", 0, rules, **given)


@pytest.mark.parametrize(
    ("rules", "words"),
    [
        ({"D": 4}, "sizes names D, but the axes are B, d; did you mean d?"),
        ({"d": "k +"}, "can't read the size 'k +'"),
        ({"d": "k / 2"}, "may hold axes, whole numbers"),
        ({"d": "max(k, 2)"}, "may hold axes, whole numbers"),
        ({"d": [2, 3]}, "expected a number, size"),
        ({"d": True}, "expected a number, size"),
    ],
)
def test_rules_that_can_not_be(rules: Any, words: str) -> None:
    with pytest.raises(SizesError) as error:
        sizes_of.checked_rules(rules, ["B", "d"])
    assert words in str(error.value)


def test_a_size_is_positive_and_axes_are_few() -> None:
    with pytest.raises(SizesError, match="positive"):
        size(at_least=0)
    with pytest.raises(SizesError, match="at most 17 axes"):
        drawn(" ".join(f"a{number}" for number in range(22)))


def test_a_size_that_a_draw_misses_is_named() -> None:
    with pytest.raises(SizesError, match="the axis V has no size; give it one in the declaration: sizes="):
        sizes_of.drawn(["d"], {}, 0, {})["V"]


def test_what_may_be_one() -> None:
    rules = {"d": size(multiple_of=2), "n": size(), "T": "n + 1", "V": 4}
    assert [axis for axis in "BdnTV" if sizes_of.may_be_one(axis, rules)] == ["B", "n"]
