"""``author build --watch`` and ``author check --watch``: what to do after a save, and for which assignments."""

from __future__ import annotations

import contextlib
import os
from collections.abc import Sequence
from pathlib import Path

import click
from rich.text import Text

from autograder.assignments import places
from autograder.cli import fresh_process, watching
from autograder.report import terminal

MADE = ("built", "__pycache__")  # folders of an assignment that change by themselves
States = dict[str, object]  # of assignments


def watch(names: Sequence[str], commands: Sequence[str]) -> int:
    """Run commands of ``author`` for some assignments, or for all: now, and for those that change at each save.

    A later command runs only if those before it find nothing wrong.
    """
    before: States = {}

    def act(states: States) -> None:
        changed = [name for name, state in states.items() if before.get(name) != state]
        before.clear()
        before.update(states)
        console = terminal.console()
        if console.is_terminal:
            console.clear()
        for name in changed:
            fresh_process.run_in_turn([("author", command, name) for command in commands])
        if not states:
            console.print(Text("There is no assignment yet: attngrade author new makes one."))
        console.print(Text(f"\n{watching.WAITING}", "dim"))

    watching.watch(lambda: _states(names), act, lambda states: states)
    return 0


def _states(names: Sequence[str]) -> States:
    """Return the state of each assignment's files. Raises CourseError."""
    found = places.found_in_courses()
    if unknown := [name for name in names if name not in found]:
        raise click.UsageError(f"there is no assignment of a course's own {unknown[0]!r}")
    return {name: _state(folder) for name, folder in found.items() if name in names or not names}


def _state(folder: Path) -> object:
    """Return when each file was written that a person writes, and its size."""
    seen = []
    for place, folders, files in os.walk(folder):
        folders[:] = [name for name in folders if name not in MADE and not name.startswith(".")]
        for name in files:
            path = os.path.join(place, name)
            with contextlib.suppress(OSError):  # an editor's own file, gone already
                if not name.startswith(".") and not name.endswith("~"):
                    status = os.stat(path)
                    seen.append((path, status.st_mtime_ns, status.st_size))
    return sorted(seen)
