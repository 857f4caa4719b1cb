"""Every attack of tests/submissions/hostile, and none succeeds: alone, as a class, as root and as an ordinary user.

What is a success is said in attacks.toml and looked for in signs.py, world.py and arena.py.
"""

from __future__ import annotations

import os
import sys
from collections import Counter
from collections.abc import Callable
from pathlib import Path

import pytest

from tests.hostile import ordinary
from tests.hostile.attacks import FOLDER, Attack, declared
from tests.hostile.playing import successes, world

linux = pytest.mark.skipif(sys.platform != "linux", reason="Linux only")
thorough = pytest.mark.thorough

FAMILIES = {
    "looking": {"read", "escape", "shadow", "report"},
    "lying": {"forge", "compare", "cheat"},
    "breaking": {"resource", "persist", "neighbour"},
}


def chosen(topic: str, choose: Callable[[Attack], bool] = lambda _: True) -> list[Attack]:
    """Attacks of a topic."""
    return [attack for attack in declared() if attack.topic == topic and choose(attack)]


def shelf() -> Path:
    """The tests' own cache: the exam is drawn up once for all of them."""
    return Path(os.environ["XDG_CACHE_HOME"])


def told(found: dict[str, list[str]]) -> str:
    """What succeeded, for the message of a failing test."""
    return "\n".join(f"{name}: {sign}" for name, signs in found.items() for sign in signs)


# ---------------------------------------------------------------- what there is


def test_attacks_are_declared_and_say_what_they_try() -> None:
    attacks = declared()
    names = [attack.name for attack in attacks]
    assert len(set(names)) == len(names) >= 200
    files = {path.stem for path in (FOLDER / "attacks").iterdir()}
    assert files >= set(names)
    assert {attack.family for attack in attacks} == set().union(*FAMILIES.values())
    for attack in attacks:
        first = attack.file.read_text(encoding="utf-8").splitlines()[0]
        assert first.startswith('"""'), attack.name
        assert first.endswith('."""'), attack.name
    assert Counter(attack.topic for attack in attacks).keys() == {"masking", "bahdanau"}


# ---------------------------------------------------------------- each by itself


@linux
@pytest.mark.parametrize("slow", [False, pytest.param(True, marks=thorough)])
@pytest.mark.parametrize("families", FAMILIES)
def test_no_attack_succeeds(families: str, slow: bool) -> None:
    attacks = chosen("masking", lambda a: a.family in FAMILIES[families] and a.slow == slow)
    if attacks:
        with world(shelf()) as here:
            assert not (found := successes(here, attacks)), told(found)


@linux
def test_no_attack_of_another_assignment_succeeds() -> None:
    with world(shelf()) as here:
        assert not (found := successes(here, chosen("bahdanau"))), told(found)


# ---------------------------------------------------------------- a class


@linux
def test_no_attack_succeeds_in_a_class() -> None:
    """Those that are dealt with when the file is loaded, with honest students between them."""
    attacks = chosen("masking", lambda a: a.status == ("import-error",) and a.family != "resource")
    with world(shelf()) as here:
        assert not (found := successes(here, attacks[::4], "class")), told(found)


@linux
@thorough
@pytest.mark.parametrize("topic", ["masking", "bahdanau"])
def test_no_attack_of_all_succeeds_in_a_class(topic: str) -> None:
    with world(shelf()) as here:
        assert not (found := successes(here, chosen(topic), "class")), told(found)


# ---------------------------------------------------------------- an ordinary user


def as_ordinary_user(attacks: list[Attack]) -> dict[str, list[str]]:
    """What succeeds where an ordinary user grades."""
    words, reason = ordinary.command()
    if not words:
        pytest.skip(reason)
    with world(owner=ordinary.UID) as here:
        return successes(here, attacks, user=words)


@linux
def test_no_attack_succeeds_against_an_ordinary_user() -> None:
    confined = {"read", "escape", "neighbour", "persist"}
    attacks = chosen("masking", lambda a: a.family in confined and not a.slow)
    assert not (found := as_ordinary_user(attacks[::3])), told(found)


@linux
@thorough
@pytest.mark.parametrize("topic", ["masking", "bahdanau"])
def test_no_attack_of_all_succeeds_against_an_ordinary_user(topic: str) -> None:
    assert not (found := as_ordinary_user(chosen(topic))), told(found)
