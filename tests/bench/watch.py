"""How soon a student gets an answer. Run: python -m tests.bench.watch

It prints, for each assignment, the median seconds of ``check --watch`` after a save, for the solution, for a common
mistake, and for the untouched file; and those from ``attngrade new`` to the first message of ``check``.
"""

from __future__ import annotations

import contextlib
import json
import statistics
import subprocess
import sys
import tempfile
import time
from pathlib import Path

from autograder import model
from autograder.assignments import NAMES
from autograder.cli.watching import Warm
from tests.paths import ROOT

REPEATS = 7
LONG = 20.0  # seconds


def texts(assignment: str) -> dict[str, str]:
    """Return the works that are saved. The mistake returns everything but 0.1 % too large."""
    solution = (ROOT / "solutions" / assignment / f"{assignment}.py").read_text(encoding="utf-8")
    starter = (ROOT / "assignments" / assignment / f"{assignment}.py").read_text(encoding="utf-8")
    wrong = solution.replace("torch.softmax(", "1.001 * torch.softmax(").replace("torch.exp(", "1.001 * torch.exp(")
    return {"right": solution, "wrong": wrong, "untouched": starter}


def after_a_save(assignment: str) -> dict[str, float]:
    """Return the median seconds for each work. What takes long is measured less often."""
    found = {}
    with contextlib.closing(Warm("cpu")) as warm:
        for name, text in texts(assignment).items():
            work = model.Submission("me", "ready", "script", f"{assignment}.py", (text.encode(),))
            warm.grade(assignment, work)  # builds the suite, and imports torch
            times: list[float] = []
            while len(times) < REPEATS and sum(times) < LONG:
                started = time.perf_counter()
                warm.grade(assignment, work)
                times.append(time.perf_counter() - started)
            found[name] = statistics.median(times)
    return found


def from_new_to_the_first_message(assignment: str) -> float:
    """Return the median seconds of ``new`` and ``check`` in an empty folder, in processes of their own."""
    times = []
    for _ in range(3):
        with tempfile.TemporaryDirectory() as folder:
            started = time.perf_counter()
            for command in ("new", "check"):
                subprocess.run(
                    [Path(sys.executable).with_name("attngrade"), command, assignment],
                    cwd=folder,
                    capture_output=True,
                    check=False,
                )
            times.append(time.perf_counter() - started)
    return statistics.median(times)


def main() -> None:
    """Measure and print."""
    found = {}
    for assignment in NAMES:
        for name, seconds in after_a_save(assignment).items():
            found[f"{assignment}, {name}"] = round(seconds, 2)
        found[f"{assignment}, new and check"] = round(from_new_to_the_first_message(assignment), 2)
    print(json.dumps(found, indent=2))


if __name__ == "__main__":
    main()
