"""``make bench``: what grading costs, beside stock nbgrader and otter, from one run on this machine. No pass or fail.

CPU time and memory: see ``measuring``.
"""

from __future__ import annotations

import argparse
import os
import platform
import shutil
import statistics
import tempfile
import tomllib
from collections.abc import Iterable, Sequence
from pathlib import Path

from measuring import BIN, ROOT, Cost, command, measure
from nbgrader_course import hand_in, write_course
from otter_course import beside_otter

from autograder.assignments import NAMES

SAMPLE_SECONDS = 0.05
FEWEST, LONGEST = 4, 50.0  # copies of a solution at least, and CPU seconds that grading them all may cost


def run(words: Sequence[str | Path], folder: Path, scratch: Path) -> Cost:
    """Runs a command to its end, without looking at its memory."""
    return measure(words, scratch, folder, every=0)


def grade(submissions: Path, assignment: str, scratch: Path, jobs: int, timing: bool = False) -> Cost:
    """One run of ``attngrade grade`` into a new folder, with or without the check of speed."""
    out = Path(tempfile.mkdtemp(dir=scratch)) / "out"
    return run(command(submissions, assignment, out, jobs, timing), scratch, scratch)


def copies(assignment: str, count: int, scratch: Path) -> Path:
    """``count`` different files with the model solution."""
    folder = Path(tempfile.mkdtemp(prefix=f"{assignment}-", dir=scratch))
    source = (ROOT / "solutions" / assignment / f"{assignment}.py").read_text()
    for number in range(count):
        (folder / f"student{number:03}.py").write_text(f"{source}\n# student {number}\n")
    return folder


def peak_memory(assignment: str, folder: Path, scratch: Path) -> float:
    """Megabytes of PSS over the whole tree at its largest, with two jobs."""
    out = Path(tempfile.mkdtemp(dir=scratch)) / "out"
    return measure(command(folder, assignment, out, 2), scratch, every=SAMPLE_SECONDS).peak


def beside_nbgrader(students: int, scratch: Path) -> None:
    """The same notebooks through both, and a course of ours through ``nbgrader autograde``. What a class costs has the
    start of each program in it; what one more submission costs has not: it is told by a class of one."""
    whole, one = ways(students, scratch / "class"), ways(1, scratch / "one")
    stock, *_ = whole
    each = {way: whole[way] / students for way in whole}
    further = {way: (whole[way] - one[way]) / (students - 1) for way in whole}
    print(f"\n{students} bahdanau notebooks, 1 job, CPU s a submission: with start-up, and without")
    for way in whole:
        less = f"{each[stock] / each[way]:.1f} and {further[stock] / further[way]:.1f} times less"
        print(f"  {way:44}{each[way]:8.3f}{further[way]:8.3f}    {'' if way == stock else less}".rstrip())


def ways(students: int, scratch: Path) -> dict[str, float]:
    """CPU seconds of each way to grade a class, stock nbgrader first."""
    scratch.mkdir()
    course = scratch / "stock"
    write_course(course, (ROOT / "solutions" / "bahdanau" / "bahdanau.py").read_text(), students)
    run([BIN / "nbgrader", "generate_assignment", "bahdanau", "--force"], course, scratch)
    stock = run([BIN / "nbgrader", "autograde", "bahdanau", "--force"], course, scratch)
    first = grade(course / "submitted", "bahdanau", scratch, 1)
    alone = {
        "attngrade grade": median(grade(course / "submitted", "bahdanau", scratch, 1) for _ in range(3)),
        "  the very first, which computes what is due": first.cpu,
    }
    return {"nbgrader autograde": stock.cpu} | alone | inside_nbgrader(students, scratch)


def inside_nbgrader(students: int, scratch: Path) -> dict[str, float]:
    """A course that we made, graded by both of its ways, after one student: what is due is computed once a course."""
    course = scratch / "ours"
    run([BIN / "attngrade", "nbgrader", "init", course, "-a", "bahdanau", "--no-timing"], scratch, scratch)
    run([BIN / "nbgrader", "generate_assignment", "bahdanau"], course, scratch)
    hand_in(course, "bahdanau", students)
    run([BIN / "nbgrader", "autograde", "bahdanau", "--student", "student000"], course, scratch)
    inside = run([BIN / "nbgrader", "autograde", "bahdanau", "--force"], course, scratch)
    shutil.rmtree(course / "autograded")
    (course / "gradebook.db").unlink()
    run([BIN / "nbgrader", "generate_assignment", "bahdanau", "--force"], course, scratch)
    bulk = run([BIN / "attngrade", "nbgrader", "grade", course, "bahdanau", "-j", "1"], scratch, scratch)
    return {"nbgrader autograde, in our course": inside.cpu, "attngrade nbgrader grade": bulk.cpu}


def median(costs: Iterable[Cost]) -> float:
    """Of CPU seconds."""
    return statistics.median(cost.cpu for cost in costs)


def target(assignment: str) -> float:
    """CPU seconds that grading one submission may cost, as its folder of tests says."""
    text = (ROOT / "tests" / "assignments" / assignment / "bench.toml").read_text(encoding="utf-8")
    return float(tomllib.loads(text)["cpu_seconds"])


def each_assignment(most: int, scratch: Path) -> None:
    """Cost and rate of every assignment on the model solution. Of a dear one there are fewer copies."""
    print("\nDifferent copies of the solution, two jobs")
    print(
        "  assignment        copies   CPU s each   target   each, start-up apart   a second   start-up s"
        "   peak MB (PSS)   speed adds, CPU s each"
    )
    for assignment in NAMES:
        students = max(FEWEST, min(most, round(LONGEST / target(assignment))))
        folder, one = copies(assignment, students, scratch), copies(assignment, 1, scratch)
        grade(one, assignment, scratch, 2)  # fills the cache of expected values
        start = min((grade(one, assignment, scratch, 2) for _ in range(3)), key=lambda cost: cost.wall)
        runs = [grade(folder, assignment, scratch, 2) for _ in range(3)]
        cpu = median(runs)
        wall = statistics.median(cost.wall for cost in runs)
        memory = peak_memory(assignment, folder, scratch)
        speed = (grade(folder, assignment, scratch, 2, timing=True).cpu - cpu) / students
        apart = (cpu - start.cpu) / (students - 1)
        rate = (students - 1) / max(wall - start.wall, 1e-9)
        print(
            f"  {assignment:16}  {students:6}  {cpu / students:11.3f}  {target(assignment):7.2f}  {apart:20.3f}"
            f"  {rate:9.1f}  {start.wall:11.2f}  {memory:13.0f}  {speed:23.3f}"
        )


def main() -> None:
    """Prints everything."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--students", type=int, default=50)
    parser.add_argument("--no-nbgrader", action="store_true", help="leave the comparisons out")
    options = parser.parse_args()
    load = ", ".join(f"{value:.1f}" for value in os.getloadavg())
    print(f"Python {platform.python_version()}, {os.cpu_count()} cores, load before: {load}")
    with tempfile.TemporaryDirectory(prefix="attngrade-bench-") as name:
        scratch = Path(name)
        if not options.no_nbgrader:
            beside_nbgrader(options.students, scratch)
            beside_otter(3, options.students, scratch, run, grade)
        each_assignment(options.students, scratch)


if __name__ == "__main__":
    main()
