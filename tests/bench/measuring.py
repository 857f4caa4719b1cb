"""What a command costs: CPU time, time and memory of its whole process tree.

CPU seconds are those that the kernel accounts to the tree when it ends; memory is the largest sum of proportional set
sizes (PSS) over the tree, sampled meanwhile.
"""

from __future__ import annotations

import os
import subprocess
import sys
import time
from collections.abc import Sequence
from pathlib import Path
from typing import NamedTuple

import psutil

ROOT = Path(__file__).resolve().parents[2]
BIN = Path(sys.executable).parent
SAMPLE_SECONDS = 0.25  # looking at a tree costs ten milliseconds of another process's time


class Cost(NamedTuple):
    """What one command cost."""

    cpu: float  # user and system seconds of it and all that it started and waited for
    wall: float
    peak: float = 0.0  # MB; 0 where it was not looked at


def command(submissions: Path, assignment: str, out: Path, jobs: int, timing: bool = False) -> list[str]:
    """``attngrade grade``, with or without the check of speed."""
    words = [sys.executable, "-m", "autograder", "grade", submissions, "-a", assignment, "-o", out, "-j", jobs]
    return [*map(str, words), "--json", *([] if timing else ["--no-timing"])]


def environment(scratch: Path, checkout: Path = ROOT) -> dict[str, str]:
    """The user's own, but with seeds, caches and Jupyter's folders of this run alone, and with compiled modules kept,
    as they are wherever Python is not told otherwise. ``checkout`` holds the code that runs."""
    ours = {"ATTNGRADE_SEED": "bench", "XDG_CACHE_HOME": str(scratch / "cache"), "HOME": str(scratch)}
    path = f"{BIN}{os.pathsep}{os.environ.get('PATH', '')}"  # nbgrader calls alembic by its name
    theirs = {name: value for name, value in os.environ.items() if name != "PYTHONDONTWRITEBYTECODE"}
    return theirs | ours | {"JUPYTER_PREFER_ENV_PATH": "1", "PATH": path, "PYTHONPATH": str(checkout)}


def measure(
    words: Sequence[str | Path],
    scratch: Path,
    folder: Path | None = None,
    every: float = SAMPLE_SECONDS,
    checkout: Path = ROOT,
) -> Cost:
    """Runs a command to its end; an error of the command ends the benchmark. ``every``: seconds between two looks at
    its memory; 0: none."""
    started = time.monotonic()
    process = subprocess.Popen(
        [str(word) for word in words],
        cwd=folder or scratch,
        env=environment(scratch, checkout),
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
    )
    peak = 0
    while True:
        pid, status, usage = os.wait4(process.pid, os.WNOHANG if every else 0)
        if pid:
            break
        peak = max(peak, _tree_memory(process.pid))
        time.sleep(every)
    process.returncode = os.waitstatus_to_exitcode(status)
    if process.returncode:
        raise SystemExit(f"{' '.join(map(str, words))} ended with {process.returncode}")
    return Cost(usage.ru_utime + usage.ru_stime, time.monotonic() - started, peak / 1e6)


def _tree_memory(pid: int) -> int:
    total = 0
    try:
        root = psutil.Process(pid)
        for process in (root, *root.children(recursive=True)):
            try:
                total += process.memory_full_info().pss
            except psutil.Error:
                continue
    except psutil.Error:
        pass
    return total
