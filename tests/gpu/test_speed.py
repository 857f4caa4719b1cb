"""Speed on a CUDA device: what is fast passes, what loops does not, and no way to cheat the clock pays."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from autograder import assignments, model
from autograder.cli import app
from autograder.grading.suite import CheckSuite
from autograder.grading.timing import checker
from autograder.grading.timing.checker import CheckTiming, TimingChecker
from tests.gpu.conftest import Servers
from tests.grading_helpers import measured_alone
from tests.hostile.test_clock import DECLARED, SPEED, Cheat, form
from tests.paths import ROOT

pytestmark = pytest.mark.gpu


@pytest.fixture(scope="module")
def timing_checkers(servers: Servers) -> Iterator[dict[str, TimingChecker]]:
    """A checker for each assignment."""
    suites = {
        name: CheckSuite(assignments.load(name, hidden=True), {}, lambda _: (), "the tests' seed", "cuda")
        for name in assignments.NAMES
    }
    found = {name: TimingChecker(one, servers(name)) for name, one in suites.items()}
    with pytest.MonkeyPatch.context() as patch:  # shorter, as many cheats only wait
        patch.setattr(checker, "LANE_SECONDS", 10.0)
        patch.setattr(checker, "LANE_IDLE_SECONDS", 2.0)
        yield found
    for one in found.values():
        one.close()


def measured(one: TimingChecker, check: model.Check, source: str) -> CheckTiming:
    name = one.suite.spec.assignment
    return measured_alone(one, check, model.Submission("ana", "ready", "script", f"{name}.py", (source.encode(),)))


def timed(assignment: str) -> list[model.Check]:
    return [check for check in assignments.load(assignment, hidden=True).checks if check.kind == "timing"]


@pytest.mark.parametrize(
    ("assignment", "check"),
    [(name, check) for name in assignments.NAMES for check in timed(name)],
    ids=lambda value: getattr(value, "id", value),
)
def test_the_solution_is_fast_enough(
    timing_checkers: dict[str, TimingChecker], assignment: str, check: model.Check
) -> None:
    solution = (ROOT / "solutions" / assignment / f"{assignment}.py").read_text(encoding="utf-8")
    found = measured(timing_checkers[assignment], check, solution)
    assert found.finding is None, found.finding
    assert {result.verdict for result in found.results} <= {"within", "inconclusive"}


def test_a_loop_over_positions_is_too_slow(timing_checkers: dict[str, TimingChecker]) -> None:
    found = measured(timing_checkers["bahdanau"], SPEED, form("loop_positions"))
    assert found.finding is not None
    assert found.finding.symptom == "too-slow"


@pytest.mark.parametrize("cheat", DECLARED, ids=lambda cheat: cheat.name)
def test_no_cheat_pays(timing_checkers: dict[str, TimingChecker], cheat: Cheat) -> None:
    found = measured(timing_checkers["bahdanau"], SPEED, f"{form('loop_positions')}\n\n{cheat.source}")
    assert found.finding is not None, found.results
    assert not found.unclear


def test_the_bench_runs_on_the_device(tmp_path: Path, capfd: pytest.CaptureFixture[str]) -> None:
    status = app.run(["bench", "bahdanau", "--device", "cuda", "--rounds", "3", "--out", str(tmp_path)])
    assert status == 0, capfd.readouterr().err
    assert (tmp_path / "bench-bahdanau.csv").exists()
