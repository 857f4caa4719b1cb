"""Names as people see them, and JSON that a terminal may show."""

from __future__ import annotations

import unicodedata

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st

from autograder.model.text import escaped_json, harmless, unescaped, visible

NAMES = st.text(st.characters() | st.sampled_from("\x1b\u200d\u202e\\u0uU19af"), max_size=20)
UNSAFE = ("Cc", "Cf", "Cs", "Zl", "Zp")


@pytest.mark.parametrize(
    "name",
    [
        *("ana", "José", "Ame\u0301lie", "O'Neill", "O\u2019Neill", "山田　太郎", "김철수", "Ana\xa0Lima"),
        *("محمد", "می\u200cخواهم", "שרה", "നന്\u200d", "ශ්\u200dරී", "👩🏽\u200d💻", "🏳️\u200d🌈"),
        *("caf\\xe9", "DOM\\ursula", ""),
    ],
)
def test_an_honest_name_stays_as_it_is(name: str) -> None:
    assert visible(name) == name


@pytest.mark.parametrize(
    ("name", "shown"),
    [
        ("\x1b[31mred", "\\u001b[31mred"),
        ("\x9b31m\x7f", "\\u009b31m\\u007f"),
        ("a\u202eb\u2066", "a\\u202eb\\u2066"),
        ("a\nb\r\tc\x85", "a\\u000ab\\u000d\\u0009c\\u0085"),
        ("a\u2028b\u2029", "a\\u2028b\\u2029"),
        ("an\u200ba\ufeff\xad", "an\\u200ba\\ufeff\\u00ad"),
        ("ana\u200d", "ana\\u200d"),
        ("an\u200da", "an\\u200da"),
        ("\u200dم", "\\u200dم"),
        ("م\u200d\u200dم", "م\\u200d\\u200dم"),
        ("\u3164", "\\u3164"),
        ("\ud800\U000e0041", "\\ud800\\U000e0041"),
        ("a\\u001b", "a\\u005cu001b"),
    ],
)
def test_what_steers_or_hides_becomes_an_escape(name: str, shown: str) -> None:
    assert visible(name) == shown


@given(NAMES)
def test_what_is_harmless_stays(text: str) -> None:
    assert harmless(harmless(text)) == harmless(text)
    assert harmless(visible(text)) == visible(text)


@given(NAMES)
def test_each_name_is_found_again(name: str) -> None:
    shown = visible(name)
    assert unescaped(shown) == name
    assert {unicodedata.category(c) for c in shown if c not in "\u200c\u200d"}.isdisjoint(UNSAFE)


@given(st.text(st.characters(exclude_categories=["Cs"]), max_size=20))
def test_json_holds_the_raw_name_and_shows_nothing_raw(name: str) -> None:
    shown = escaped_json(msgspec.json.encode({"student": name}))
    assert msgspec.json.decode(shown) == {"student": name}
    assert {unicodedata.category(c) for c in shown.decode()}.isdisjoint(UNSAFE)
