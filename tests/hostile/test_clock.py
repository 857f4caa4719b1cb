"""No way to cheat the clock pays: submissions/timing/cheats, each measured as a submission is."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Literal

import msgspec
import pytest

from autograder import model, specs, timing
from autograder.exam import Exam
from autograder.sandbox.forkserver import ForkServer
from autograder.sandbox.limits import Limits
from autograder.stopwatch import Stopwatch, Timing

ROOT = Path(__file__).resolve().parents[2]
FORMS = ROOT / "tests" / "submissions" / "timing" / "bahdanau"
CHEATS = ROOT / "tests" / "submissions" / "timing" / "cheats"
Outcome = Literal["over", "wrong", "error"]

pytestmark = pytest.mark.skipif(sys.platform != "linux", reason="Linux only")


class Cheat(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """See cheats.toml for what the fields mean."""

    name: str
    comes: tuple[Outcome, ...]

    @property
    def source(self) -> str:
        """Its text, without the slow solution that it is built on."""
        return (CHEATS / f"{self.name}.py").read_text(encoding="utf-8")


DECLARED = msgspec.toml.decode((CHEATS / "cheats.toml").read_bytes(), type=dict[str, tuple[Cheat, ...]])[
    "cheat"
]
SPEC = specs.load("bahdanau", hidden=True)
SPEED = next(check for check in SPEC.checks if check.kind == "timing")


@pytest.fixture(scope="module")
def stopwatch() -> Iterator[Stopwatch]:
    server = ForkServer(Limits())
    watch = Stopwatch(Exam(SPEC, {}, lambda _: (), "the tests' seed"), server)
    yield watch
    watch.close()
    server.close()


def measured(stopwatch: Stopwatch, source: str) -> Timing:
    """What measuring a submission comes to."""
    work = model.Submission("ana", "ready", "script", "bahdanau.py", (source.encode(),))
    return stopwatch.measure(SPEED, work)


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


def test_the_solution_passes(stopwatch: Stopwatch) -> None:
    """Or what follows would say nothing."""
    found = measured(stopwatch, (ROOT / "solutions" / "bahdanau" / "bahdanau.py").read_text(encoding="utf-8"))
    assert found.finding is None
    assert found.results[0].verdict == timing.WITHIN


def test_what_the_cheats_are_built_on_is_slow_and_right(stopwatch: Stopwatch) -> None:
    found = measured(stopwatch, form("loop_positions"))
    assert found.finding is not None
    assert found.finding.symptom == "too-slow"
    assert found.results[0].figure.middle > 10


@pytest.mark.parametrize("cheat", DECLARED, ids=lambda cheat: cheat.name)
def test_no_cheat_pays(stopwatch: Stopwatch, cheat: Cheat) -> None:
    found = measured(stopwatch, f"{form('loop_positions')}\n\n{cheat.source}")
    assert found.finding is not None, found.results
    slow = found.finding.symptom == "too-slow"
    came = "over" if slow else "wrong" if found.finding.status == "failed" else "error"
    assert came in cheat.comes, found.finding
