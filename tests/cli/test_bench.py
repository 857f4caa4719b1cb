"""``attngrade bench``: the table, the CSV file and the plot. No test depends on a duration."""

from __future__ import annotations

import csv
import json
import math
import re
import subprocess
import sys
from pathlib import Path

import pytest

from autograder import assignments, model
from autograder.assignments.kit import programs, speed
from autograder.grading.timing import bench, bench_plans, intervals
from autograder.sandbox import clock
from tests.command_helpers import Run
from tests.paths import ROOT

from .conftest import SOLUTION

COLUMNS = ["assignment", "call", "who", "device", "size", "median_ms", "low_ms", "high_ms", "exponent"]
pytestmark = pytest.mark.skipif(sys.platform != "linux", reason="needs the CPU clock of another process")


@pytest.fixture(autouse=True)
def _small(monkeypatch: pytest.MonkeyPatch) -> None:
    """Measure two small sizes with few calls, because no test looks at the values."""
    monkeypatch.setattr(speed, "LENGTHS", (10, 50))
    monkeypatch.setattr(bench, "MOST_TIMES", bench.FEWEST_TIMES)


def table(out: Path, assignment: str) -> list[dict[str, str]]:
    """Return the CSV's rows."""
    with (out / f"bench-{assignment}.csv").open(newline="", encoding="utf-8") as file:
        return list(csv.DictReader(file))


def picture(path: Path) -> tuple[int, int, int]:
    """Return a PNG's width, height and number of colours."""
    from matplotlib import image

    pixels = image.imread(path)
    return pixels.shape[1], pixels.shape[0], len({tuple(p) for p in pixels.reshape(-1, pixels.shape[2])})


@pytest.mark.parametrize("kind", ["script", "notebook"])
def test_a_student_beside_both_mechanisms(kind: str, tmp_path: Path, run: Run) -> None:
    work = tmp_path / "bahdanau.py"
    work.write_text(SOLUTION.rstrip() + "  # no line end")
    if kind == "notebook":
        cell = {"cell_type": "code", "source": SOLUTION, "metadata": {}, "outputs": [], "execution_count": None}
        book = {"cells": [cell], "metadata": {}, "nbformat": 4, "nbformat_minor": 5}
        work.unlink()
        work = tmp_path / "bahdanau.ipynb"
        work.write_text(json.dumps(book))
    done = run("bench", "bahdanau", work, "--out", tmp_path / "out", "--rounds", 3)
    assert done.status == 0, done.err
    found = table(tmp_path / "out", "bahdanau")
    assert list(found[0]) == COLUMNS
    lines = [(row["assignment"], row["call"], row["who"], row["device"], row["size"]) for row in found]
    expected = [("bahdanau", "additive", "reference"), ("bahdanau", "additive", "student")]
    expected.append(("luong", "dot product", "reference"))
    assert lines == [(*line, "cpu", size) for line in expected for size in ("10", "50")]
    shown = re.findall(r"\d+(?:\.\d+)?", done.out)  # rounded from the same figures as the table
    for row in found:
        assert 0 < float(row["low_ms"]) <= float(row["median_ms"]) <= float(row["high_ms"])
        assert any(float(number) == pytest.approx(float(row["median_ms"]), rel=0.01) for number in shown)
        assert math.isfinite(float(row["exponent"]))
    width, height, colours = picture(tmp_path / "out" / "bench-bahdanau.png")
    assert min(width, height) > 500
    assert colours > 20  # lines, bands and text, not an empty sheet


def test_without_a_path_the_references_alone(tmp_path: Path, run: Run) -> None:
    done = run("bench", "luong", "--out", tmp_path, "--rounds", 3, "--json")
    assert done.status == 0
    assert {(row["assignment"], row["who"]) for row in json.loads(done.out)} == {
        ("bahdanau", "reference"),
        ("luong", "reference"),
    }
    assert [str(row["size"]) for row in json.loads(done.out)] == [row["size"] for row in table(tmp_path, "luong")]
    assert "15" not in done.err
    assert "12 of 12" in done.err  # progress: 3 rounds of 2 sizes of 2 calls


@pytest.mark.thorough
def test_a_call_that_is_not_right_is_told_and_not_drawn(tmp_path: Path, run: Run) -> None:
    solution = (ROOT / "solutions" / "masking" / "masking.py").read_text()
    name = "def window_mask("
    assert name in solution
    work = tmp_path / "masking.py"
    work.write_text(solution + "\n\ndef window_mask(*given):\n    raise NotImplementedError\n")
    done = run("bench", "masking", work, "--out", tmp_path, "--rounds", 3)
    assert done.status == 1
    assert "Your window_mask is not shown" in done.err
    assert "window_mask is not written" in done.err
    who = {(row["call"], row["who"]) for row in table(tmp_path, "masking")}
    calls = {one.name for one in timed_calls("masking")}
    assert who == {(call, "reference") for call in calls} | {(call, "student") for call in calls - {"window_mask"}}


def test_the_same_inputs_again_are_answered_again(tmp_path: Path, run: Run) -> None:
    """A call that is right only once is wrong."""
    spoil = "\n_forward = BahdanauAttention.forward\n"
    spoil += "def once(self, s, h):\n    result = _forward(self, s, h)\n    h.mul_(2)\n    return result\n"
    (tmp_path / "bahdanau.py").write_text(SOLUTION + spoil + "BahdanauAttention.forward = once\n")
    done = run("bench", "bahdanau", tmp_path, "--out", tmp_path, "--rounds", 3)
    assert done.status == 1
    assert "Your additive is not shown" in done.err
    assert all(row["who"] == "reference" for row in table(tmp_path, "bahdanau"))


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (["bench"], "ASSIGNMENT"),
        (["bench", "bahdanu"], "bahdanu"),
        (["bench", "bahdanau", "nowhere.py"], "does not exist"),
        (["bench", "bahdanau", "empty"], "nothing to check"),
        (["bench", "bahdanau", "broken.py"], "could not be run: SyntaxError"),
        (["bench", "bahdanau", "--rounds", "1"], "--rounds"),
        (["bench", "bahdanau", "--device", "tpu"], "--device"),
        (["bench", "bahdanau", "--out", "broken.py"], "broken.py"),
        (["bench", "bahdanau", "--out", "broken.py/deeper"], "can't write to"),
    ],
)
def test_wrong_calls(
    arguments: list[str], words: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, run: Run
) -> None:
    monkeypatch.chdir(tmp_path)
    Path("empty").mkdir()
    Path("broken.py").write_text("def attention(:\n")
    done = run(*arguments)
    assert done.status == 2
    assert done.out == ""
    assert done.err.count("\n") == 1
    assert words in done.err
    assert {path.name for path in tmp_path.rglob("*")} == {"empty", "broken.py"}


def test_no_cuda_device_and_no_clock(monkeypatch: pytest.MonkeyPatch, tmp_path: Path, run: Run) -> None:
    if not Path("/dev/nvidia0").exists():
        done = run("bench", "bahdanau", "--device", "cuda", "--out", tmp_path)
        assert (done.status, done.err) == (2, "attngrade: there is no CUDA device on this machine\n")
    monkeypatch.setattr(clock.sys, "platform", "darwin")
    done = run("bench", "bahdanau", "--out", tmp_path)
    assert done.status == 2
    assert "on Linux only" in done.err


PROGRAM = """
import importlib.util as util, sys
sys.modules["autograder.instructor.oracle"] = None
find = util.find_spec
util.find_spec = lambda name, *rest: None if name == "reference" else find(name, *rest)
from autograder.assignments.kit import speed
from autograder.cli import app
from autograder.grading.timing import bench
bench.MOST_TIMES = bench.FEWEST_TIMES
status = app.run(["bench", *sys.argv[1:], "--rounds", "3"])
assert "torch" not in sys.modules, "torch was imported"
sys.exit(status)
"""


def as_student(*arguments: object) -> subprocess.CompletedProcess[str]:
    """Run ``bench`` where no reference is installed."""
    command = [sys.executable, "-c", PROGRAM, *map(str, arguments)]
    return subprocess.run(command, capture_output=True, text=True, check=False, cwd=ROOT)


@pytest.mark.thorough
@pytest.mark.parametrize("assignment", ["bahdanau", "luong"])
def test_a_student_compares_with_both_mechanisms(assignment: str, tmp_path: Path) -> None:
    work = ROOT / "solutions" / assignment / f"{assignment}.py"
    done = as_student(assignment, work, "--out", tmp_path)
    assert done.returncode == 0, done.stderr  # so the student's answers are those of the mechanism
    found = table(tmp_path, assignment)
    calls = {"bahdanau": "additive", "luong": "dot product"}
    assert {(row["call"], row["who"]) for row in found} == {
        *((call, "reference") for call in calls.values()),
        (calls[assignment], "student"),
    }
    assert [int(row["size"]) for row in found[:5]] == [10, 50, 100, 500, 1000]


@pytest.mark.thorough
def test_a_student_has_no_reference_for_other_assignments(tmp_path: Path) -> None:
    alone = as_student("masking", "--out", tmp_path)
    assert alone.returncode == 2
    assert "name your own file" in alone.stderr
    done = as_student("masking", ROOT / "solutions" / "masking" / "masking.py", "--out", tmp_path)
    assert done.returncode == 0, done.stderr
    assert "only your own calls are shown" in done.stderr
    assert {row["who"] for row in table(tmp_path, "masking")} == {"student"}


def timed_calls(assignment: str) -> list[model.TimedCall]:
    return [call for check in assignments.load(assignment).checks for call in check.timed]


@pytest.mark.parametrize("assignment", ["self_attention", "masking", "seq2seq"])
def test_other_assignments_are_measured_by_their_own_calls(assignment: str) -> None:
    found = bench_plans.plans(assignment)
    assert [plan.calls for plan in found] == [((assignment, timed),) for timed in timed_calls(assignment)]
    for plan, timed in zip(found, timed_calls(assignment), strict=True):
        assert set(timed.sizes or (timed.at,)) <= set(plan.sizes)
        assert len(plan.sizes) >= 3
        for size in plan.sizes:
            timed.build(programs.InputGenerator("", assignment, "any"), min(size, 20), 1)


def test_the_interval_of_a_median() -> None:
    samples = [float(n) for n in range(1, 16)]
    assert intervals.median_interval(samples[::-1]) == intervals.Interval(3, 8, 13)  # 99.26 %; one sample less: 96.5 %
    assert intervals.median_interval(samples[:8]) == intervals.Interval(1, 4.5, 8)  # 99.2 %
    assert intervals.median_interval([2.0, 9.0, 4.0]) == intervals.Interval(2, 4, 9)
    assert intervals.median_interval([5.0]) == intervals.Interval(5, 5, 5)
    with pytest.raises(ValueError, match="no samples"):
        intervals.median_interval([])


def test_costs_that_grow_as_a_power() -> None:
    assert intervals.growth({size: 3 * size**1.5 for size in (10, 50, 1000)}) == pytest.approx(1.5)
