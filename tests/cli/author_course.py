"""A course in a folder, and the command ``attngrade`` in a process of its own, which reads that course."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Mapping
from pathlib import Path

from tests.paths import ROOT

NAME = "cosine"


def attngrade(course: Path, *words: object, **variables: str) -> subprocess.CompletedProcess[str]:
    """Run a command with ``--course``."""
    command = [sys.executable, "-m", "autograder", *map(str, words), "--course", str(course)]
    environment = {"PYTHONPATH": str(ROOT), "COLUMNS": "200", **variables}
    return subprocess.run(
        command, cwd=course.parent, env=os.environ | environment, capture_output=True, text=True, check=False
    )


def made(course: Path, changes: Mapping[str, tuple[str, str]] | None = None) -> Path:
    """Make the first assignment in a course, with texts replaced in its files, and return its folder."""
    from autograder.instructor.authoring import first

    folder = course / NAME
    for path, text in first.files(NAME).items():
        (folder / path).parent.mkdir(parents=True, exist_ok=True)
        (folder / path).write_text(text)
    for path, (old, new) in (changes or {}).items():
        text = (folder / path).read_text()
        assert old in text, f"{path} has no {old!r}"
        (folder / path).write_text(text.replace(old, new))
    return folder
