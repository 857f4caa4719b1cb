"""What grading costs as classes grow and jobs are added, on this machine. No pass or fail: each target stands beside
what was measured. ``--counts 50 500`` and ``--repeats 1`` for a quick look.

CPU seconds and memory are those of the whole process tree; see ``measuring``. A cost a submission is that of a run less
that of a run of one submission, so that start-up, which is the same for all, stays out of it.
"""

from __future__ import annotations

import argparse
import ast
import os
import platform
import statistics
import tempfile
from pathlib import Path
from typing import NamedTuple

from measuring import ROOT, Cost, command, measure

TOPIC = "luong"
COUNTS = (50, 500, 5000)
OVERHEAD = 0.040  # CPU seconds
WITHIN = 0.10  # of the cost, and of the memory, of a class of a tenth of the size
FASTER = 1.8  # two jobs than one


class _AtOnce(ast.NodeTransformer):
    """Functions that return at once: all that grading them costs is the grader's own. Constructors stay as they are,
    for without its parameters a class would not be called at all; run ``times`` over, they show what they cost."""

    def __init__(self, times: int) -> None:
        self.times = times

    def visit_FunctionDef(self, node: ast.FunctionDef) -> ast.FunctionDef:
        """See ast.NodeTransformer."""
        constructor = node.name == "__init__"
        node.body = node.body * self.times if constructor else [ast.Return(ast.Constant(None))]
        return node


def at_once(source: str, times: int = 1) -> str:
    """The source with nothing in its functions, and what is in its constructors ``times`` over."""
    return ast.unparse(ast.fix_missing_locations(_AtOnce(times).visit(ast.parse(source))))


class Run(NamedTuple):
    """What a class cost."""

    cpu: float  # seconds a submission
    wall: float
    peak: float  # MB, the largest sum of proportional set sizes over the tree


def write_copies(folder: Path, count: int, source: str) -> Path:
    """``count`` different files with one source."""
    folder.mkdir()
    for number in range(count):
        (folder / f"student{number:05}.py").write_text(f"{source}\n# student {number}\n")
    return folder


def grade(submissions: Path, scratch: Path, jobs: int) -> Cost:
    """One run into a new folder, without the check of speed, whose cost is a measurement's."""
    out = Path(tempfile.mkdtemp(dir=scratch)) / "out"
    return measure(command(submissions, TOPIC, out, jobs), scratch)


class Bench:
    """All runs of one benchmark."""

    def __init__(self, scratch: Path, repeats: int) -> None:
        self.scratch, self.repeats = scratch, repeats
        self.solution = (ROOT / "solutions" / TOPIC / f"{TOPIC}.py").read_text()
        one = write_copies(scratch / "one", 1, self.solution)
        grade(one, scratch, 1)  # computes the expected values
        self.start = {jobs: self._least([grade(one, scratch, jobs) for _ in range(3)]) for jobs in (1, 2)}

    @staticmethod
    def _least(costs: list[Cost]) -> Cost:
        return min(costs, key=lambda cost: cost.cpu)

    def classes(self, counts: list[int]) -> dict[tuple[int, int], Run]:
        """Each class with one job and with two; the median of runs that take turns."""
        folders = {count: write_copies(self.scratch / f"{count}", count, self.solution) for count in counts}
        costs: dict[tuple[int, int], list[Cost]] = {}
        for _ in range(self.repeats):
            for count, folder in folders.items():
                for jobs in (1, 2):
                    costs.setdefault((count, jobs), []).append(grade(folder, self.scratch, jobs))
        return {key: self._each(*key, found) for key, found in costs.items()}

    def _each(self, count: int, jobs: int, costs: list[Cost]) -> Run:
        start, rest = self.start[jobs], count - 1
        cpu = statistics.median(cost.cpu for cost in costs) - start.cpu
        wall = statistics.median(cost.wall for cost in costs) - start.wall
        peak = statistics.median(cost.peak for cost in costs)
        return Run(cpu / rest, wall / rest, peak)

    def overhead(self, count: int = 50) -> tuple[float, float]:
        """CPU seconds a submission whose functions return at once; and those of them that its constructors cost, which
        are the student's own: what such a submission costs more that runs them twice. Runs take turns."""
        folders = [
            write_copies(self.scratch / f"at-once-{times}", count, at_once(self.solution, times)) for times in (1, 2)
        ]
        turns = [[grade(folder, self.scratch, 1) for folder in folders] for _ in range(max(5, self.repeats))]
        once, twice = (self._each(count, 1, list(costs)).cpu for costs in zip(*turns, strict=True))
        return once, twice - once


def ratio(told: str, value: float, target: float, *, least: bool = False) -> None:
    """A line that says whether a target is met."""
    met = value >= target if least else value <= target
    sign = "at least" if least else "at most"
    print(f"  {told:58} {value:7.3f}   {sign} {target:.3f}   {'met' if met else 'NOT met'}")


def main() -> None:
    """Prints everything."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--counts", type=int, nargs="+", default=list(COUNTS))
    parser.add_argument("--repeats", type=int, default=3, help="runs of each class, which take turns")
    options = parser.parse_args()
    load = ", ".join(f"{value:.1f}" for value in os.getloadavg())
    print(f"Python {platform.python_version()}, {os.cpu_count()} cores, load before: {load}")
    with tempfile.TemporaryDirectory(prefix="attngrade-bench-") as name:
        bench = Bench(Path(name), options.repeats)
        runs = bench.classes(options.counts)
        print(
            f"\nDifferent copies of the {TOPIC} solution, start-up apart"
            f" ({bench.start[1].cpu:.2f} CPU s with one job, {bench.start[2].cpu:.2f} with two)"
        )
        print("  submissions  jobs   CPU s each   a second   peak MB (PSS)")
        for (count, jobs), run in runs.items():
            print(f"  {count:11}  {jobs:4}  {run.cpu:11.4f}  {1 / run.wall:9.1f}  {run.peak:14.0f}")
        print("\nTargets")
        *_, smaller, larger = sorted(options.counts) if len(options.counts) > 1 else options.counts * 2
        for jobs in (1, 2):
            small, large = runs[smaller, jobs], runs[larger, jobs]
            words = f"of {larger} submissions to that of {smaller}, {jobs} job(s)"
            ratio(f"cost a submission {words}", large.cpu / small.cpu, 1 + WITHIN)
            ratio(f"peak memory {words}", large.peak / small.peak, 1 + WITHIN)
        faster = runs[larger, 1].wall / runs[larger, 2].wall
        ratio(f"submissions a second, two jobs to one, {larger} submissions", faster, FASTER, least=True)
        whole, constructors = bench.overhead()
        print(
            f"  CPU s of one whose functions return at once {whole:.4f}, of which its constructors {constructors:.4f}"
        )
        ratio("overhead: CPU s of one that are not the student's code", whole - constructors, OVERHEAD)


if __name__ == "__main__":
    main()
