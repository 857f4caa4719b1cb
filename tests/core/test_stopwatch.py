"""What a check of speed comes to, and what a grade says of it, by costs that are made up."""

from __future__ import annotations

import types
from collections.abc import Callable
from typing import Any

import msgspec
import pytest

from autograder import model, stopwatch, timing
from autograder.race import Result
from autograder.runner import Runner
from autograder.sandbox.forkserver import ForkServer
from autograder.sandbox.standing import SandboxError
from autograder.stopwatch import Stopwatch, Timing
from tests.core.racing import CALL, Fake, failing, reference, timed
from tests.core.tools import RIGHT, exam, script


def check(*calls: model.Timed) -> model.Check:
    return model.Check("speed", "Speed", "timing", 5, (), (), section="Speed", timed=calls or (timed(),))


@pytest.fixture
def fakes(monkeypatch: pytest.MonkeyPatch) -> Callable[[Fake, Fake], Stopwatch]:
    """A stopwatch that meets these two, instead of workers."""

    def made(student: Fake, other: Fake) -> Stopwatch:
        monkeypatch.setattr(stopwatch.forms, "reference_form", lambda topic: "reference")
        monkeypatch.setattr(
            stopwatch, "Dialogue", lambda exam, launcher, work, **_: other if work == "reference" else student
        )
        return Stopwatch(exam(), types.SimpleNamespace())  # type: ignore[arg-type]

    return made


def test_a_check_is_over_with_its_first_slow_call(fakes: Any) -> None:
    student = Fake(lambda size: CALL if size == 100 else 30 * CALL)
    slow = timed(name="slow", at=200)
    found = fakes(student, reference()).measure(check(timed(), slow, timed(name="late")), script(""))
    assert [result.verdict for result in found.results] == ["within", "over"]
    assert (found.finding.symptom, found.finding.diagnosis) == ("too-slow", "too-slow")
    assert found.finding.facts["figure"] == pytest.approx(30)
    assert student.worker is None  # it was ended


def test_inputs_come_back_for_no_submission_and_no_call(fakes: Any) -> None:
    student = reference()
    watch = fakes(student, reference())
    for _ in range(2):
        watch.measure(check(timed(), timed()), script(""))
    inputs = [array.data for asked in student.asked for array in asked.arrays.values()]
    assert len(set(inputs)) == len(inputs)


def test_a_reference_that_fails_is_tried_twice(fakes: Any) -> None:
    other = failing()
    begun: list[int] = []
    other.begin = lambda: (begun.append(1), model.Loaded("n"))[1]  # type: ignore[func-returns-value, method-assign]
    with pytest.raises(SandboxError, match="the reference could not be timed"):
        fakes(reference(), other).measure(check(), script(""))
    assert len(begun) == 2


# ---------------------------------------------------------------- a grade


def result(verdict: Any) -> Result:
    return Result(timed(), verdict, "ratio", timing.Interval(1.0, 2.0, 9.0))


WRONG = Timing((), model.Finding("wrong-type", "out", {"came": "a", "due": "b", "output": "out"}))


@pytest.mark.parametrize(
    ("found", "status", "score", "maximum"),
    [
        (Timing((result("within"),)), "passed", 35, 35),
        (Timing((result("within"), result("inconclusive"))), "skipped", 30, 30),
        (WRONG, "failed", 30, 35),
        (SandboxError("the reference could not be timed"), "skipped", 30, 30),
        (stopwatch.forms.NotInstalled("the references are not installed"), "skipped", 30, 30),
    ],
)  # fmt: skip
def test_what_it_costs(server: ForkServer, found: Any, status: str, score: float, maximum: float) -> None:
    """Only what was measured, or was wrong, counts: trouble of ours never does."""

    def measure(*_: Any) -> Timing:
        if isinstance(found, Exception):
            raise found
        return found

    small = exam()
    small.spec = msgspec.structs.replace(small.spec, checks=(*small.spec.checks, check()))
    watch: Any = types.SimpleNamespace(measure=measure)
    grade = Runner(small, server, stopwatch=watch).grade(script(RIGHT))
    assert grade.checks[-1].status == status
    assert (grade.score, grade.max_score) == (score, maximum)
