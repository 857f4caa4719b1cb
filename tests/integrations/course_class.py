"""A small class of one of the example course's assignments, for the programs that grade it."""

from __future__ import annotations

import csv
import os
import subprocess
import sys
from pathlib import Path

from tests.paths import ROOT

COURSE = ROOT / "examples" / "course"
ASSIGNMENT = "layer_norm"
SOLUTION = (COURSE / ASSIGNMENT / "solution.py").read_text(encoding="utf-8")
RIGHT = "(centred * centred).mean(dim=-1, keepdim=True)"
WRONG = "(centred * centred).sum(dim=-1, keepdim=True) / (x.shape[-1] - 1)"
MISTAKE = "The variance is divided by n - 1."  # what a student reads of it
TITLES = ("Numbers of about 0.003", "entries along B")  # of hidden checks
assert RIGHT in SOLUTION


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
