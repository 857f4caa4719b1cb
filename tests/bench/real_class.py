"""A real class: 60 % right and 40 % wrong submissions of the corpus, graded with speed and causes.

Prints CPU seconds a submission, start-up apart. `--before CHECKOUT` grades the same files with another checkout in
turns, and prints the ratios of the medians.
"""

from __future__ import annotations

import argparse
import statistics
import tempfile
from pathlib import Path

from measuring import ROOT, command, measure

from autograder.assignments import NAMES
from autograder.instructor.audit.corpus import Sample, load

STUDENTS = 20
RIGHT = 0.6  # of the class


def evenly(samples: list[Sample], count: int) -> list[Sample]:
    """Take ``count`` samples, evenly in their order; from the start again where there are too few."""
    step = max(len(samples) / count, 1.0)
    return [samples[int(number * step) % len(samples)] for number in range(count)]


def members(assignment: str) -> list[Sample]:
    """Return the class: the same one in every run on the same corpus."""
    corpus = load(ROOT / "tests" / "assignments" / assignment, ROOT / "solutions" / assignment / f"{assignment}.py")
    scripts = [one for one in corpus if not one.notebook and one.status == "graded"]
    right = evenly([one for one in scripts if one.sort == "right"], round(STUDENTS * RIGHT))
    wrong = [one for one in scripts if one.sort == "wrong" and one.causes]
    return [*right, *evenly(wrong, STUDENTS - len(right))]


def write(folder: Path, samples: list[Sample]) -> Path:
    """Write a file for each student. No two are equal, so none is graded by another's result."""
    folder.mkdir(parents=True)
    for number, sample in enumerate(samples):
        (folder / f"student{number:02}.py").write_text(f"{sample.source}\n# student {number}\n", encoding="utf-8")
    return folder


def cost(submissions: Path, assignment: str, scratch: Path, checkout: Path) -> float:
    """Return the CPU seconds of one run with one job."""
    out = Path(tempfile.mkdtemp(dir=scratch)) / "out"
    return measure(command(submissions, assignment, out, 1, timing=True), scratch, every=0, checkout=checkout).cpu


def main() -> None:
    """Measure every assignment with every checkout in turns."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--before", type=Path, help="another checkout, to compare with")
    parser.add_argument("--repeats", type=int, default=5)
    parser.add_argument("assignments", nargs="*", default=NAMES)
    options = parser.parse_args()
    checkouts = [ROOT, *([options.before.resolve()] if options.before else [])]
    print(f"{STUDENTS} submissions, {RIGHT:.0%} right, one job; CPU s a submission, medians of {options.repeats}")
    for assignment in options.assignments:
        with tempfile.TemporaryDirectory(prefix="attngrade-bench-") as name:
            places = {checkout: Path(name) / str(number) for number, checkout in enumerate(checkouts)}
            samples = members(assignment)
            everyone = write(Path(name) / "class", samples)
            alone = write(Path(name) / "alone", samples[:1])
            runs: dict[Path, list[float]] = {checkout: [] for checkout in checkouts}
            for checkout, scratch in places.items():  # fills the caches of expected values
                scratch.mkdir()
                cost(everyone, assignment, scratch, checkout)
            for _ in range(options.repeats):
                for checkout, scratch in places.items():
                    whole, one = (cost(folder, assignment, scratch, checkout) for folder in (everyone, alone))
                    runs[checkout].append((whole - one) / (STUDENTS - 1))
        now, *before = (statistics.median(runs[checkout]) for checkout in checkouts)
        ratio = f"  before {before[0]:.3f}  ratio {now / before[0]:.2f}" if before else ""
        print(f"  {assignment:16}  {now:.3f}{ratio}", flush=True)


if __name__ == "__main__":
    main()
