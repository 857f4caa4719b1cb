"""Attacks are attacks: what is to be stopped succeeds where nothing stops it."""

from __future__ import annotations

import os
import subprocess
import sys

import msgspec
import pytest

from tests.hostile.attacks import ROOT, Attack, declared
from tests.hostile.playing import PATIENCE, successes, world

pytestmark = [pytest.mark.skipif(sys.platform != "linux", reason="Linux only"), pytest.mark.thorough]


def unconfined(attacks: list[Attack]) -> set[str]:
    """Those that succeed in a plain process."""
    with world() as here:
        words = [msgspec.json.encode(one).decode() for one in (here, [attack.name for attack in attacks])]
        done = subprocess.run(
            [sys.executable, "-m", "tests.hostile.control", *words],
            env=here.environment(),
            cwd=ROOT,
            stdout=subprocess.PIPE,
            text=True,
            timeout=PATIENCE,
            start_new_session=True,
            check=True,
        )
    return set(done.stdout.split())


def test_attacks_succeed_where_nothing_is_confined() -> None:
    who = {"anyone"} | ({"root"} if os.geteuid() == 0 else set())
    attacks = [attack for attack in declared() if attack.control in who]
    succeeded = unconfined(attacks)
    assert [attack.name for attack in attacks if attack.name not in succeeded] == []


# The arena, with workers that have limits and nothing else of the confinement.
OPEN = """
import sys
from autograder.sandbox import availability
availability.layers = lambda *_, **__: ("limits", "closed")
from tests.hostile import arena
arena.main(sys.argv[1])
"""
SEEN = {"read_seed": "loot", "persist_empty_file": "trace", "persist_mailbox": "trace", "neighbour_kill_grader": "ours"}


def test_the_arena_sees_what_succeeds() -> None:
    attacks = [attack for attack in declared() if attack.name in SEEN]
    with world() as here:
        found = successes(here, attacks, arena=("-c", OPEN))
    for name, sign in SEEN.items():
        assert any(words.startswith(sign) for words in found.get(name, ())), (name, found)
