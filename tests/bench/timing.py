"""Whether speed is judged alike on an idle machine and on a busy one. Prints counts of verdicts; no pass or fail.

    python tests/bench/timing.py --count 100

Measures the solution and other forms of one assignment as ``attngrade grade`` does, each so many times: alone, beside
busy loops, and in two jobs at once that share the lane.
"""

from __future__ import annotations

import argparse
import contextlib
import os
import platform
import statistics
import tempfile
import time
from collections import Counter
from collections.abc import Iterable, Iterator
from concurrent.futures import ProcessPoolExecutor
from multiprocessing import get_context
from pathlib import Path
from typing import IO, NamedTuple

from autograder import assignments, model
from autograder.grading.session import Session
from autograder.grading.suite import CheckSuite
from autograder.grading.timing.checker import CheckTiming, TimingChecker
from autograder.sandbox import confine
from autograder.sandbox.forkserver import ForkServer
from autograder.sandbox.limits import Limits

ROOT = Path(__file__).resolve().parents[2]
TOPIC = "bahdanau"
WRONG = "wrong"
VERDICTS = ("within", "over", "inconclusive", WRONG)


class Condition(NamedTuple):
    """What else goes on: so many busy loops, and so many jobs that measure."""

    name: str
    loops: int = 0
    jobs: int = 1


CONDITIONS = (
    Condition("idle"),
    Condition("one busy loop", loops=1),
    Condition("two busy loops", loops=2),
    Condition("two jobs", jobs=2),
)


class Measured(NamedTuple):
    """How one submission came out: the largest ratio, and the CPU seconds of all that took part."""

    form: str
    verdict: str
    ratio: float
    cpu: float


def forms() -> dict[str, Path]:
    """The submissions, by name."""
    others = sorted((ROOT / "tests" / "assignments" / TOPIC / "timing_forms").glob("*.py"))
    return {"solution": ROOT / "solutions" / TOPIC / f"{TOPIC}.py"} | {path.stem: path for path in others}


def job(number: int, count: int, timing_lock: IO[bytes]) -> list[Measured]:
    """Measures every form ``count`` times, in turn, so that what changes on the machine meets all of them."""
    confine.die_with_parent()
    spec = assignments.load(TOPIC, hidden=True)
    check = next(check for check in spec.checks if check.id == "attention-speed")
    server = ForkServer(Limits())
    timing_checker = TimingChecker(CheckSuite(spec, {}, lambda _: (), f"bench {number}"), server, timing_lock)
    work = {
        name: model.Submission(name, "ready", "script", f"{TOPIC}.py", (path.read_bytes(),))
        for name, path in forms().items()
    }
    try:
        alone(timing_checker, check, work["solution"])  # starts the server and the reference
        return [measured(timing_checker, server, check, one) for _ in range(count) for one in work.values()]
    finally:
        timing_checker.close()
        server.close()


def measured(timing_checker: TimingChecker, server: ForkServer, check: model.Check, work: model.Submission) -> Measured:
    """One measurement."""
    before = spent(timing_checker, server)
    found = alone(timing_checker, check, work)
    ratios = [result.figure.middle for result in found.results if result.quantity == "ratio"]
    return Measured(work.student, verdict(found), max(ratios, default=0.0), spent(timing_checker, server) - before)


def alone(timing_checker: TimingChecker, check: model.Check, work: model.Submission) -> CheckTiming:
    """Times a submission that is asked nothing else."""
    student = Session(timing_checker.suite, timing_checker.launcher, work)
    try:
        return timing_checker.measure(check, student)
    finally:
        student.end()


def spent(timing_checker: TimingChecker, server: ForkServer) -> float:
    """CPU seconds of this process, of the submissions' workers that have ended, and of the reference's."""
    reference = timing_checker.reference.worker if timing_checker.reference else None
    return time.process_time() + server.cpu_seconds + (reference.cpu_seconds() if reference else 0.0)


def verdict(found: CheckTiming) -> str:
    """What a grade is made of."""
    if found.finding:
        return "over" if found.finding.diagnosis == "too-slow" else WRONG
    return "inconclusive" if found.undecided else "within"


@contextlib.contextmanager
def busy(loops: int) -> Iterator[None]:
    """So many busy loops beside us, which end with this block, and with this process however that ends."""
    spinning = [get_context("fork").Process(target=_spin, daemon=True) for _ in range(loops)]
    for process in spinning:
        process.start()
    try:
        yield
    finally:
        for process in spinning:
            process.kill()
            process.join()


def _spin() -> None:
    confine.die_with_parent()
    while True:
        pass


def under(condition: Condition, count: int) -> list[Measured]:
    """All measurements under a condition."""
    share = -(-count // condition.jobs)
    with (
        busy(condition.loops),
        tempfile.TemporaryFile() as timing_lock,
        ProcessPoolExecutor(condition.jobs, get_context("fork")) as pool,
    ):
        running = [pool.submit(_job, number, share, timing_lock.fileno()) for number in range(condition.jobs)]
        return [one for future in running for one in future.result()]


def _job(number: int, count: int, descriptor: int) -> list[Measured]:
    """In a process of its own, which has the lane's descriptor from us."""
    with os.fdopen(os.dup(descriptor), "r+b") as timing_lock:
        return job(number, count, timing_lock)


def show(condition: Condition, found: Iterable[Measured]) -> dict[str, Counter[str]]:
    """Prints a condition's lines; returns the verdicts by form."""
    found = list(found)
    verdicts = {name: Counter(one.verdict for one in found if one.form == name) for name in forms()}
    for name, counted in verdicts.items():
        ratio = statistics.median(one.ratio for one in found if one.form == name)
        cpu = statistics.median(one.cpu for one in found if one.form == name)
        counts = "".join(f"{counted[verdict]:14}" for verdict in VERDICTS)
        print(f"  {condition.name:16}{name:16}{counts}{ratio:10.2f}{cpu:10.2f}", flush=True)
    return verdicts


def main() -> None:
    """Prints everything."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--count", type=int, default=100, help="of measurements of each form, per condition")
    options = parser.parse_args()
    load = ", ".join(f"{value:.1f}" for value in os.getloadavg())
    print(f"Python {platform.python_version()}, {os.cpu_count()} cores, load before: {load}")
    heads = "".join(f"{verdict:>14}" for verdict in VERDICTS)
    print(f"  {'':16}{TOPIC:16}{heads}{'ratio':>10}{'CPU s':>10}   (medians)")
    all_verdicts: dict[str, Counter[str]] = {name: Counter() for name in forms()}
    for condition in CONDITIONS:
        for name, counted in show(condition, under(condition, options.count)).items():
            all_verdicts[name] += counted
    mixed = {name: dict(counted) for name, counted in all_verdicts.items() if len(counted) > 1}
    if mixed:
        print("Not every form had the same verdict every time:", *(f"{n} {c}" for n, c in mixed.items()))
    else:
        print("Every form had the same verdict every time.")


if __name__ == "__main__":
    main()
