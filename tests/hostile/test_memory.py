"""The grader's memory: a container of 2 GB is enough, whatever is handed in."""

from __future__ import annotations

import contextlib
import os
import re
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from autograder import model
from autograder.runs import pool, results
from autograder.sandbox.limits import Limits
from tests.hostile.attacks import ROOT, Attack, declared, solution

CONTAINER = 2 << 30  # bytes
GRADER = 400  # MB
NAMES = 10  # MB that eight submissions with names of three megabytes may leave behind
HOGS = ("resource_memory", "resource_memory_slowly", "resource_full_answers", "resource_nested_answers")

# Grades in this process, and says how much memory it took at most.
GRADE = """
import re, sys
from autograder.cli import app
status = app.run(sys.argv[1:])
print("peak", re.search(r"VmHWM:\\s+(\\d+)", open("/proc/self/status").read())[1])
sys.exit(status)
"""


@contextlib.contextmanager
def container(limit: int) -> Iterator[Path]:
    """A control group with a limit on memory. Skips the test where there can be none."""
    old, new = Path("/sys/fs/cgroup/memory"), Path("/sys/fs/cgroup")
    root, name = (old, "memory.limit_in_bytes") if old.is_dir() else (new, "memory.max")
    group = root / f"attngrade-{os.getpid()}"
    try:
        group.mkdir()
        (group / name).write_text(str(limit))
    except OSError as error:
        with contextlib.suppress(OSError):
            group.rmdir()
        pytest.skip(f"no control group with a limit on memory: {error}")
    yield group
    group.rmdir()


@pytest.mark.thorough
@pytest.mark.skipif(sys.platform != "linux", reason="Linux only")
def test_hogs_are_graded_in_a_small_container(tmp_path: Path) -> None:
    work, out = tmp_path / "class", tmp_path / "out"
    attacks = {attack.name: attack for attack in declared()}
    for name in HOGS:
        attacks[name].hand_in(work / name, {})
    for name in ("ana", "zoe"):
        (work / name).mkdir()
        (work / name / "masking.py").write_text(solution("masking"))
    arguments = ["grade", str(work), "--assignment", "masking", "--out", str(out), "--no-timing", "--jobs", "1"]
    with container(CONTAINER) as group:
        done = subprocess.run(
            ["sh", "-c", 'echo $$ > "$0"/cgroup.procs; exec "$@"', str(group), sys.executable, "-c", GRADE, *arguments],
            cwd=ROOT,
            capture_output=True,
            text=True,
            check=False,
        )
    assert done.returncode == 0, done.stdout + done.stderr
    grades = {path.stem: results.read_result(path) for path in (out / "results").glob("*.json")}
    assert grades["ana"].score == grades["zoe"].score == 100
    assert {name: grades[name].status for name in HOGS if grades[name].score != 0} == {}
    peak = re.search(r"peak (\d+)", done.stdout)
    assert peak
    assert int(peak[1]) / 1024 < GRADER, peak[0]


@pytest.mark.thorough
@pytest.mark.skipif(sys.platform != "linux", reason="Linux only")
def test_names_cause_no_growth() -> None:
    """Submissions that run operators with names of three megabytes each: a grader lives for a whole class."""
    (attack,) = (attack for attack in declared() if attack.name == "forge_long_names")
    plan = pool.RunPlan(attack.assignment, "a seed", Limits(), timing=False)
    with contextlib.closing(pool.Grader(plan)) as grader:
        sizes = [size_after(grader, attack, number) for number in range(12)]
    assert sizes[-1] - sizes[3] < NAMES, sizes


def size_after(grader: pool.Grader, attack: Attack, number: int) -> float:
    """The grader's memory in MB after one of them, whose names nobody else has."""
    text = attack.source({}).replace('"x" * 900_000', f'"{number:03}" * 1_000_000')
    work = model.Submission(f"eve{number}", "ready", "script", f"{attack.assignment}.py", (text.encode(),))
    assert grader.grade(work).status == "graded"
    status = Path("/proc/self/status").read_text()
    found = re.search(r"VmRSS:\s+(\d+)", status)
    assert found
    return int(found[1]) / 1024
