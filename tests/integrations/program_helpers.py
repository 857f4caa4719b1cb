"""Runs other programs as an instructor's shell would."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

from tests.paths import ROOT


def program(*words: object, cwd: Path | None = None, **variables: str) -> subprocess.CompletedProcess[str]:
    """Runs ``python -m ...`` with this checkout's attngrade, as an instructor's shell would."""
    path = os.pathsep.join(filter(None, (str(ROOT), os.environ.get("PYTHONPATH", ""))))
    return subprocess.run(
        [sys.executable, "-m", *map(str, words)],
        cwd=cwd,
        env=os.environ | {"PYTHONPATH": path} | variables,
        capture_output=True,
        text=True,
        check=False,
    )
