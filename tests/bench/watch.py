"""How soon ``check --watch`` answers after a save. Run: python -m tests.bench.watch

It prints, for each assignment, the median seconds for the solution, for a common mistake, and for the untouched file.
"""

from __future__ import annotations

import contextlib
import json
import statistics
import time

from autograder import model
from autograder.assignments import NAMES
from autograder.cli.watching import Warm
from tests.paths import ROOT

REPEATS = 7


def texts(assignment: str) -> dict[str, str]:
    """Return the works that are saved. The mistake returns everything but 0.1 % too large."""
    solution = (ROOT / "solutions" / assignment / f"{assignment}.py").read_text(encoding="utf-8")
    starter = (ROOT / "assignments" / assignment / f"{assignment}.py").read_text(encoding="utf-8")
    wrong = solution.replace("torch.softmax(", "1.001 * torch.softmax(").replace("torch.exp(", "1.001 * torch.exp(")
    return {"right": solution, "wrong": wrong, "untouched": starter}


def main() -> None:
    """Measure and print."""
    found = {}
    for assignment in NAMES:
        with contextlib.closing(Warm("cpu")) as warm:
            for name, text in texts(assignment).items():
                work = model.Submission("me", "ready", "script", f"{assignment}.py", (text.encode(),))
                warm.grade(assignment, work)  # builds the suite, and imports torch
                times = []
                for _ in range(REPEATS):
                    started = time.perf_counter()
                    warm.grade(assignment, work)
                    times.append(time.perf_counter() - started)
                found[f"{assignment}, {name}"] = round(statistics.median(times), 2)
    print(json.dumps(found, indent=2))


if __name__ == "__main__":
    main()
