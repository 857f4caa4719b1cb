"""No way to cheat the clock pays: timing_cheats, each measured as a submission is."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from typing import Any, Literal

import msgspec
import pytest

from autograder import assignments, model
from autograder.grading.suite import CheckSuite
from autograder.grading.timing import checker
from autograder.grading.timing.checker import CheckTiming, TimingChecker
from autograder.sandbox.forkserver import ForkServer
from autograder.sandbox.limits import Limits
from tests.grading_helpers import measured_alone
from tests.paths import ROOT

FORMS = ROOT / "tests" / "assignments" / "bahdanau" / "timing_forms"
CHEATS = ROOT / "tests" / "hostile" / "timing_cheats"
Outcome = Literal["over", "wrong", "error"]

pytestmark = pytest.mark.skipif(sys.platform != "linux", reason="Linux only")


class Cheat(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """See cheats.toml for what the fields mean."""

    name: str
    comes: tuple[Outcome, ...]
    symptom: str = ""
    quick: bool = False

    @property
    def source(self) -> str:
        """Its text, without the slow solution that it is built on."""
        return (CHEATS / f"{self.name}.py").read_text(encoding="utf-8")


DECLARED = msgspec.toml.decode((CHEATS / "cheats.toml").read_bytes(), type=dict[str, tuple[Cheat, ...]])["cheat"]
SPEC = assignments.load("bahdanau", hidden=True)
SPEED = next(check for check in SPEC.checks if check.id == "attention-speed")


@pytest.fixture(scope="module")
def timing_checker() -> Iterator[TimingChecker]:
    server = ForkServer(Limits())
    watch = TimingChecker(CheckSuite(SPEC, {}, lambda _: (), "the tests' seed"), server)
    with pytest.MonkeyPatch.context() as patch:  # shorter, as many cheats only wait
        patch.setattr(checker, "LANE_SECONDS", 5.0)
        patch.setattr(checker, "LANE_IDLE_SECONDS", 1.0)
        yield watch
    watch.close()
    server.close()


def measured(timing_checker: TimingChecker, source: str) -> CheckTiming:
    """What measuring a submission comes to."""
    work = model.Submission("ana", "ready", "script", "bahdanau.py", (source.encode(),))
    return measured_alone(timing_checker, SPEED, work)


def form(name: str) -> str:
    """One of the honest submissions."""
    return (FORMS / f"{name}.py").read_text(encoding="utf-8")


def test_cheats_are_declared_and_say_what_they_try() -> None:
    names = [cheat.name for cheat in DECLARED]
    assert sorted(names) == sorted(path.stem for path in CHEATS.glob("*.py"))
    for cheat in DECLARED:
        first = cheat.source.splitlines()[0]
        assert first.startswith('"""'), cheat.name
        assert first.endswith('."""'), cheat.name


def test_the_solution_passes(timing_checker: TimingChecker) -> None:
    """Or what follows would say nothing."""
    found = measured(timing_checker, (ROOT / "solutions" / "bahdanau" / "bahdanau.py").read_text(encoding="utf-8"))
    assert found.finding is None
    assert found.results[0].verdict == "within"


def test_what_the_cheats_are_built_on_is_slow_and_right(timing_checker: TimingChecker) -> None:
    found = measured(timing_checker, form("loop_positions"))
    assert found.finding is not None
    assert found.finding.symptom == "too-slow"


QUICK = {
    cheat.name for n, cheat in enumerate(DECLARED) if cheat.quick or not (cheat.symptom or n % 5)
}  # for ``make test``


def cheats() -> list[Any]:
    marks = {True: (), False: (pytest.mark.thorough,)}
    return [pytest.param(cheat, marks=marks[cheat.name in QUICK], id=cheat.name) for cheat in DECLARED]


@pytest.mark.parametrize("cheat", cheats())
def test_no_cheat_pays(timing_checker: TimingChecker, cheat: Cheat) -> None:
    found = measured(timing_checker, f"{form('loop_positions')}\n\n{cheat.source}")
    assert found.finding is not None, found.results
    slow = found.finding.symptom == "too-slow"
    actual = "over" if slow else "wrong" if found.finding.status == "failed" else "error"
    assert actual in cheat.comes, found.finding
    assert found.finding.symptom == (cheat.symptom or found.finding.symptom)
    assert not found.unclear
