"""Plays attacks in arenas, as many as it takes until every one had its turn, and collects what succeeded."""

from __future__ import annotations

import contextlib
import os
import secrets
import signal
import subprocess
import sys
import tempfile
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any, Literal

import msgspec

from tests.hostile.arena import AttackResult, Job
from tests.hostile.attacks import ROOT, Attack
from tests.hostile.world import World, remove

ARENA = ("-m", "tests.hostile.arena")
PATIENCE = 900.0  # seconds for all of an arena, on a busy machine: it hangs if it takes longer


@contextlib.contextmanager
def world(cache: Path | None = None, owner: int | None = None) -> Iterator[World]:
    """A new world, with a ``cache`` that is there already, and everything owned by a user."""
    folder = Path(tempfile.mkdtemp(prefix="hostile-"))
    try:
        folder.chmod(0o755)
        made = World(str(folder), secrets.token_hex(8), str(cache or folder / "cache"))
        made.plant()
        if owner is not None:
            for path in (folder, *folder.rglob("*")):
                os.chown(path, owner, owner)
        yield made
    finally:
        remove(str(folder))


def successes(
    here: World,
    attacks: Sequence[Attack],
    how: Literal["alone", "class"] = "alone",
    user: Sequence[str] = (),
    arena: Sequence[str] = ARENA,
) -> dict[str, list[str]]:
    """What succeeded, with its signs. ``user`` is a command before the command, which makes it another user's;
    ``arena`` what Python is to run."""
    found: dict[str, list[str]] = {}
    todo = [attack.name for attack in attacks]
    assert len({attack.assignment for attack in attacks}) == 1
    while todo:
        before = len(todo)
        job = msgspec.json.encode(Job(here, tuple(todo), how)).decode()
        lines, words = _run([*user, sys.executable, *arena, job], here)
        current = ""
        for line in lines:
            seen = msgspec.json.decode(line, type=AttackResult)
            current = seen.attack if seen.signs is None else ""
            if seen.signs:
                found.setdefault(seen.attack, []).extend(seen.signs)
            if seen.signs is not None and seen.attack in todo:
                todo.remove(seen.attack)
        if not current and not words:
            break  # it has come to its end; attacks that this machine can't be held to are left
        found.setdefault(current or "the arena", []).append(f"ours: the grader died or hung: {words}")
        todo = todo[todo.index(current) + 1 :] if current in todo else []
        assert len(todo) < before
    return found


def _run(command: list[str], here: World) -> tuple[list[str], str]:
    """The lines that it prints, and how it went wrong if it did."""
    arena: Any = subprocess.Popen(
        command,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        env=here.environment(),
        cwd=ROOT,
        start_new_session=True,
    )
    words = ""
    try:
        out, errors = arena.communicate(timeout=PATIENCE)
    except subprocess.TimeoutExpired:
        words = "it hung"
        with contextlib.suppress(ProcessLookupError):
            os.killpg(arena.pid, signal.SIGKILL)
        out, errors = arena.communicate()
    if arena.returncode and not words:
        words = f"it ended with {arena.returncode}: {errors[-1500:]}"
    return out.splitlines(), words
