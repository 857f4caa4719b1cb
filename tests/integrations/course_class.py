"""A small class of each of the example course's assignments, for the programs that grade it."""

from __future__ import annotations

import csv
import os
import subprocess
import sys
from pathlib import Path
from typing import NamedTuple

import pytest
from _pytest.mark import ParameterSet

from tests.paths import ROOT

COURSE = ROOT / "examples" / "course"


class Example(NamedTuple):
    """An assignment of the course, what a student gets wrong in it, and what another one can't even compile."""

    name: str
    right: str
    wrong: str
    mistake: str  # what a student reads of it
    broken: tuple[str, str]
    titles: tuple[str, ...]  # of hidden checks

    @property
    def solution(self) -> str:
        """The text of the solution."""
        text = (COURSE / self.name / "solution.py").read_text(encoding="utf-8")
        assert self.right in text
        assert self.broken[0] in text
        return text


EXAMPLES = (
    Example(
        "layer_norm",
        "(centred * centred).mean(dim=-1, keepdim=True)",
        "(centred * centred).sum(dim=-1, keepdim=True) / (x.shape[-1] - 1)",
        "The variance is divided by n - 1.",
        ("centred = x", "centred = = x"),
        ("Numbers of about 0.003", "entries along B"),
    ),
    Example(
        "rotary_cache",
        "[even * cosines - odd * sines, even * sines + odd * cosines]",
        "[even * cosines + odd * sines, odd * cosines - even * sines]",
        "The pairs turn the other way round.",
        ("before, length = ", "before, length = = "),
        ("rotate is right far into a sentence", "extend begins with an empty cache"),
    ),
    Example(
        "kmeans",
        "distances.argmin(axis=1)",
        "distances.argmax(axis=1)",
        "A point gets the center that is farthest away.",
        ("for _ in range(steps):", "for _ in range(steps)"),
        ("At a tie, the first center counts", "Centers that never get a point"),
    ),
)


def each(by_day: str) -> list[ParameterSet]:
    """Return the assignments as parameters: one for ``make thorough``, the others for ``make nightly``."""
    return [pytest.param(one, id=one.name, marks=() if one.name == by_day else pytest.mark.nightly) for one in EXAMPLES]


def attngrade(*words: object, cwd: Path, **variables: str) -> str:
    """Return what a command with ``--course`` prints. It must end well."""
    command = [sys.executable, "-m", "autograder", *map(str, words), "--course", os.path.relpath(COURSE, cwd)]
    environment = {"PYTHONPATH": str(ROOT), "COLUMNS": "200", **variables}
    ran = subprocess.run(command, cwd=cwd, env=os.environ | environment, capture_output=True, text=True, check=False)
    assert ran.returncode == 0, f"{words}: {ran.stdout}\n{ran.stderr}"
    return ran.stdout


def rows(out: Path) -> dict[str, dict[str, str]]:
    """Return the rows of a run's table, by student."""
    with (out / "grades.csv").open(encoding="utf-8", newline="") as file:
        return {row["student"]: row for row in csv.DictReader(file)}
