"""Every attack of tests/hostile/submissions, and none succeeds: alone, as a class, as root and as an ordinary user.

What is a success is said in attacks.toml and looked for in signs.py, world.py and arena.py.
"""

from __future__ import annotations

import os
import sys
from collections import Counter
from collections.abc import Callable, Iterable
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


def chosen(assignment: str, choose: Callable[[Attack], bool] = lambda _: True) -> list[Attack]:
    """Return an assignment's attacks."""
    return [attack for attack in declared() if attack.assignment == assignment and choose(attack)]


def one_of_each(attacks: Iterable[Attack]) -> list[Attack]:
    """Return one attack for each mechanism: what it does, what it aims at, which layer stops it, how its grade ends."""
    found: dict[object, Attack] = {}
    for attack in attacks:
        found.setdefault((attack.family, attack.signs, attack.layer, attack.status), attack)
    return list(found.values())


def cache() -> Path:
    """Return the tests' own cache, so that one check suite serves all of them."""
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
    assert Counter(attack.assignment for attack in attacks).keys() == {"masking", "bahdanau"}


# ---------------------------------------------------------------- each by itself


@linux
@pytest.mark.parametrize("families", FAMILIES)
def test_no_mechanism_succeeds(families: str) -> None:
    quick = chosen("masking", lambda attack: attack.family in FAMILIES[families] and not attack.slow)
    with world(cache()) as here:
        assert not (found := successes(here, one_of_each(quick))), told(found)


@linux
@thorough
@pytest.mark.parametrize("families", FAMILIES)
def test_no_attack_succeeds(families: str) -> None:
    with world(cache()) as here:
        assert not (found := successes(here, chosen("masking", lambda a: a.family in FAMILIES[families]))), told(found)


@linux
@thorough
def test_no_attack_of_another_assignment_succeeds() -> None:
    with world(cache()) as here:
        assert not (found := successes(here, chosen("bahdanau"))), told(found)


# ---------------------------------------------------------------- a class


@linux
def test_no_attack_succeeds_in_a_class() -> None:
    """Those that are dealt with when the file is loaded, with honest students between them."""
    attacks = chosen("masking", lambda a: a.status == ("import-error",) and a.family != "resource")
    with world(cache()) as here:
        assert not (found := successes(here, one_of_each(attacks), "class")), told(found)


@linux
@thorough
@pytest.mark.parametrize("assignment", [pytest.param("masking", marks=pytest.mark.nightly), "bahdanau"])
def test_no_attack_of_all_succeeds_in_a_class(assignment: str) -> None:
    with world(cache()) as here:
        assert not (found := successes(here, chosen(assignment), "class")), told(found)


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
    attacks = chosen("masking", lambda attack: attack.family in confined and not attack.slow)
    assert not (found := as_ordinary_user(one_of_each(attacks))), told(found)


@linux
@pytest.mark.thorough
@pytest.mark.nightly
@pytest.mark.parametrize("assignment", ["masking", "bahdanau"])
def test_no_attack_of_all_succeeds_against_an_ordinary_user(assignment: str) -> None:
    assert not (found := as_ordinary_user(chosen(assignment))), told(found)
