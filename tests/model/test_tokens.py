"""Tokens: what is made is read again, whatever the student's id; what was changed is seen; nothing is run."""

from __future__ import annotations

import base64
import hashlib
import hmac

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from autograder import model
from autograder.model import tokens

KEY = b"a key of the course"
FEW = settings(max_examples=100, deadline=None)
IDS = st.text(min_size=1, max_size=30).filter(lambda text: max(text) < "\ud800" or min(text) > "\udfff")
NAMES = st.from_regex(r"[a-z][a-z0-9_]{0,20}", fullmatch=True)


def file(*cells: str) -> model.Submission:
    return model.Submission("ana", "ready", "notebook", "x.ipynb", tuple(cell.encode() for cell in cells))


@FEW
@given(NAMES, IDS, st.sampled_from([b"", KEY]))
def test_what_is_made_is_read_again(assignment: str, student: str, key: bytes) -> None:
    text = tokens.make(assignment, student, key)
    token = tokens.parse(text)
    assert token is not None
    assert (token.assignment, token.student) == (assignment, student)
    assert text == tokens.make(assignment, student, key)
    assert bool(token.signature) == bool(key)
    assert tokens.state(text, assignment, [student], key) == "ok"
    assert tokens.state(text, assignment, [student]) == "ok"
    assert tokens.state(text, assignment, [f"{student}x"], key) == "foreign"
    assert tokens.state(text, f"{assignment}x", [student], key) == "foreign"


def test_the_fields_are_those_of_the_contract() -> None:
    first = "attngrade1.bottleneck." + base64.urlsafe_b64encode(b"anna").decode().rstrip("=")
    seed = hmac.new(KEY, first.encode(), hashlib.sha256).hexdigest()[:16]
    signature = hmac.new(KEY, f"{first}.{seed}".encode(), hashlib.sha256).hexdigest()[:32]
    assert tokens.make("bottleneck", "anna", KEY) == f"{first}.{seed}.{signature}"
    assert tokens.make("bottleneck", "anna") == f"{first}.{hashlib.sha256(first.encode()).hexdigest()[:16]}."


@FEW
@given(st.text())
def test_any_text_has_a_state_and_a_seed(text: str) -> None:
    state = tokens.state(text, "bottleneck", ["ana"], KEY)
    assert state == ("unreadable" if text else "missing")
    assert tokens.draw(text, "width") == tokens.draw(None, "width")


@FEW
@given(st.integers(0, 200), st.characters(codec="ascii"))
def test_a_changed_token_is_never_ok(place: int, letter: str) -> None:
    text = tokens.make("bottleneck", "ana", KEY)
    at = place % len(text)
    changed = text[:at] + letter + text[at + 1 :]
    if changed != text:
        assert tokens.state(changed, "bottleneck", ["ana"], KEY) in ("unreadable", "forged", "foreign")


def test_without_a_signature_it_is_unsigned_only_where_there_is_a_key() -> None:
    text = tokens.make("bottleneck", "ana")
    assert tokens.state(text, "bottleneck", ["ana"], KEY) == "unsigned"
    assert tokens.state(text, "bottleneck", ["ana"]) == "ok"
    other = tokens.make("bottleneck", "ana", b"another key")
    assert tokens.state(other, "bottleneck", ["ana"], KEY) == "forged"


@pytest.mark.parametrize(
    ("cells", "expected"),
    [
        (['TOKEN = "a"'], "a"),
        (['TOKEN: str = "a"'], "a"),
        (["X = TOKEN = 'a'"], "a"),
        (['TOKEN = "a"', 'TOKEN = "b"'], "b"),
        (['TOKEN = "a"', "TOKEN = open('x').read()"], None),
        (["if True:\n    TOKEN = 'a'"], None),
        (["def f():\n    TOKEN = 'a'"], None),
        (["TOKEN = ", 'TOKEN = "a"'], "a"),
        (["TOKEN = 3"], None),
        (["raise SystemExit", 'TOKEN = "a"'], "a"),
        ([], None),
    ],
)
def test_the_token_is_read_and_nothing_is_run(cells: list[str], expected: str | None) -> None:
    assert tokens.written(file(*cells)) == expected


@FEW
@given(st.lists(st.text(), unique=True, max_size=6), st.integers(0, 2**64 - 1))
def test_options_are_shuffled_by_the_seed_alone(options: list[str], seed: int) -> None:
    text = f"attngrade1.bottleneck.YW5h.{seed:016x}."
    shown = tokens.shuffled(text, "Which?", options)
    assert sorted(shown) == sorted(options)
    assert shown == tokens.shuffled(text.replace("YW5h", "Ym8"), "Which?", options[::-1])


def test_orders_differ_from_student_to_student() -> None:
    orders = {tuple(tokens.shuffled(tokens.make("bottleneck", f"s{n}"), "Which?", "abcd")) for n in range(400)}
    assert len(orders) == 24
