"""Timing checks and their outcomes in a grade, with invented costs."""

from __future__ import annotations

import types
from collections.abc import Callable
from typing import Any

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st

from autograder import model, protocol
from autograder.feedback.closed import two_digits
from autograder.grading.fault import Fault
from autograder.grading.responses import NoAnswer
from autograder.grading.runner import Runner
from autograder.grading.suite import CheckSuite, SuiteError
from autograder.grading.timing import checker, intervals
from autograder.grading.timing.checker import CheckTiming, TimingChecker
from autograder.grading.timing.questions import AGAIN, SAMPLES
from autograder.grading.timing.verdict import CallTiming
from autograder.sandbox.availability import SandboxError
from autograder.sandbox.forkserver import ForkServer
from tests.grading.timing.paired_helpers import CALL, Fake, failing, reference, timed
from tests.small_suite_helpers import RIGHT, script, shown, suite


def check(*calls: model.TimedCall) -> model.Check:
    return model.Check("speed", "Speed", "timing", 5, (), (), part="speed", section="Speed", timed=calls or (timed(),))


def with_speed() -> CheckSuite:
    """Return the small suite with a timing check."""
    small = suite()
    small.spec = msgspec.structs.replace(small.spec, checks=(*small.spec.checks, check()))
    return small


@pytest.fixture
def fakes(monkeypatch: pytest.MonkeyPatch) -> Callable[[Fake], TimingChecker]:
    """Return a function that makes a timing checker with an invented reference."""

    def made(other: Fake) -> TimingChecker:
        monkeypatch.setattr(checker.reference_source, "reference_form", lambda assignment: "reference")
        monkeypatch.setattr(checker, "Session", lambda *_, **__: other)
        return TimingChecker(suite(), types.SimpleNamespace())  # type: ignore[arg-type]

    return made


def test_a_check_ends_with_its_first_slow_call(fakes: Any) -> None:
    student = Fake(lambda size: CALL if size == 100 else 30 * CALL)
    slow = timed(name="slow", at=200)
    found = fakes(reference()).measure(check(timed(), slow, timed(name="late")), student)
    assert [result.verdict for result in found.results] == ["within", "over"]
    assert (found.finding.symptom, found.finding.diagnosis) == ("too-slow", "too-slow")
    assert found.finding.facts["figure"] == pytest.approx(30)
    assert student.worker is student  # it stays for other checks


def test_no_worker_gets_inputs_twice(fakes: Any) -> None:
    watch = fakes(reference())
    for student in (reference(), Fake(lambda size: 4 * CALL)):
        for name in ("one", "other"):
            watch.measure(check(timed(name=name), timed(name=f"{name} too")), student)
        inputs = [array.data for asked in student.asked for array in asked.arrays.values()]
        assert len(set(inputs)) == len(inputs)


def test_submissions_share_questions_and_the_reference_answers_them_again_from_time_to_time(fakes: Any) -> None:
    other, students = reference(), [reference() for _ in range(2 * AGAIN + 1)]
    watch, asked = fakes(other), []
    for student in students:
        watch.measure(check(), student)
        asked.append(len([one for one in other.asked if one.calls]))
    assert len({tuple(one.arrays.items()) for student in students for one in student.asked}) == 1
    assert asked == [1 + SAMPLES] * AGAIN + [2 + SAMPLES] * AGAIN + [3 + SAMPLES]


@pytest.mark.parametrize(
    ("times", "names"),
    [(1, ["100-2--1", "100-2-0"]), (30, ["100-1-1", "100-2--1", "100-2-0"])],
    ids=["decided at once", "measured beside the reference"],
)
def test_answers_with_a_confirmed_mistake_count_and_are_asked_by_the_same_name_in_every_run(
    fakes: Any, times: int, names: list[str]
) -> None:
    """What a known mistake answers to a question is kept from run to run, by its name."""
    asked: list[tuple[str, str]] = []

    def play(case: model.Prepared, mistake: str) -> tuple[protocol.StepResult, ...]:
        asked.append((case.id, mistake))
        answer, _ = Fake(lambda size: CALL, factor=3.0).ask_with_cost(
            case.program, msgspec.msgpack.encode(case.program)
        )
        assert isinstance(answer, protocol.Answer)
        return answer.results

    for _ in range(2):
        watch, watched = fakes(reference()), check(timed(watch="softmax"))
        watch.suite.play = play
        wrong = Fake(lambda size: times * CALL, factor=3.0)
        finding = watch.measure(watched, wrong).finding
        assert finding is not None
        assert finding.diagnosis is None
        finding = watch.measure(watched, wrong, ["tripled"]).finding
        assert (finding and finding.diagnosis) == ("too-slow" if times > 1 else None)
    one, other = asked[: len(asked) // 2], asked[len(asked) // 2 :]
    assert sorted(one) == sorted(other)
    assert sorted(one) == [(f"timed-lengths-{name}", "tripled") for name in names]


def test_a_confirmed_mistake_that_raises_for_timed_sizes_excuses_nothing(fakes: Any) -> None:
    """Sizes that are all different may not fit a known mistake."""
    raised = protocol.Raised("RuntimeError", (), "sizes do not fit")

    def play(case: model.Prepared, mistake: str) -> tuple[protocol.StepResult, ...]:
        return tuple(protocol.StepResult(call.into, raised=raised) for call in case.program.calls)

    watch = fakes(reference())
    watch.suite.play = play
    finding = watch.measure(check(timed()), Fake(lambda size: CALL, factor=3.0), ["tripled"]).finding
    assert finding is not None
    assert finding.symptom == "wrong-values"


def test_timed_calls_have_names_of_their_own() -> None:
    small = suite()
    spec = msgspec.structs.replace(small.spec, checks=(*small.spec.checks, check(timed(), timed())))
    with pytest.raises(SuiteError, match="check speed: two timed calls are called 'lengths'"):
        CheckSuite(spec, small.prepared, lambda _: ())


@pytest.mark.parametrize(
    ("count", "other"), [(0, 64), (19, 64), (60, 32), (100, 16), (740, 8), (1200, 8), (1300, 2), (10**9, 2)]
)
def test_many_operations_are_not_counted_at_a_large_size(count: int, other: int) -> None:
    assert checker._other_size(count) == other


@given(count=st.integers(0, 10**6))
def test_the_other_size_tells_no_more_than_the_message_says_of_the_first_count(count: int) -> None:
    assert checker._other_size(count) == checker._other_size(two_digits(count))


@pytest.mark.parametrize(
    ("device", "used", "replaced"),
    [
        ("cpu", 0.1, False),
        ("cpu", 6.0, True),
        ("cpu", None, True),
        ("cuda", 6.0, False),  # the start of the driver
        ("cuda", 16.0, True),
    ],
)
def test_a_worker_that_has_used_much_time_is_replaced(
    fakes: Any, device: protocol.Device, used: float | None, replaced: bool
) -> None:
    """The kernel ends a worker after so many seconds in all."""
    student, begun = reference(), list[int]()
    student.cpu_now = lambda: used  # type: ignore[assignment, method-assign, return-value]
    student.begin = lambda: (begun.append(1), protocol.Loaded("n"))[1]  # type: ignore[func-returns-value, method-assign]
    watch = fakes(reference())
    watch.suite.device = device
    watch.measure(check(), student)
    assert bool(begun) == replaced
    assert student.allowed[-1] == (checker.LANE_SECONDS, checker.LANE_IDLE_SECONDS)


def test_a_reference_that_fails_is_tried_twice(fakes: Any) -> None:
    other = failing()
    begun: list[int] = []
    other.begin = lambda: (begun.append(1), protocol.Loaded("n"))[1]  # type: ignore[func-returns-value, method-assign]
    with pytest.raises(SandboxError, match="the reference could not be timed"):
        fakes(other).measure(check(), reference())
    assert len(begun) == 2


SECRET = "12.25"  # a number of the reference
RAISED = protocol.Raised("ValueError", ("ValueError",), f"got {SECRET}", 7, f"return x * {SECRET}")


class Raising(Fake):
    """A reference that raises an exception, and tells a number in everything that it sends."""

    def ask_with_cost(self, asked: protocol.Program, encoded: bytes) -> tuple[protocol.Answer | NoAnswer, float]:
        return protocol.Answer("n", (shown("out", float(SECRET)), shown("other", RAISED))), 0.0


class Unloaded(Fake):
    """A reference whose file can't be run."""

    def begin(self) -> protocol.Loaded:
        return protocol.Loaded("n", RAISED)


@pytest.mark.parametrize("broken", [Raising, Unloaded])
def test_a_failing_reference_is_reported_without_its_numbers_and_lines(
    server: ForkServer, fakes: Any, broken: type[Fake]
) -> None:
    watch = fakes(broken(lambda size: CALL))
    outcome = Runner(with_speed(), server, timing_checker=watch).grade(script(RIGHT)).checks[-1]
    assert outcome.status == "skipped"
    assert outcome.message.startswith("Speed could not be measured: the reference c")
    assert outcome.message.endswith(": it raised ValueError")


def test_a_wrong_timed_answer_is_reported_without_numbers(server: ForkServer, fakes: Any) -> None:
    watch = fakes(Fake(lambda size: CALL, factor=3.0))
    outcome = Runner(with_speed(), server, timing_checker=watch).grade(script(RIGHT)).checks[-1]
    assert (outcome.status, outcome.message) == ("blocked", "Speed is not counted until the values of speed are right.")


@pytest.mark.parametrize(("first", "again"), [("student", 0), ("unclear", 1), ("ours", 1)])
def test_only_what_may_be_our_fault_is_measured_again_and_once(fakes: Any, first: Fault, again: int) -> None:
    student = failing(first)
    begun: list[int] = []
    student.begin = lambda: (begun.append(1), protocol.Loaded("n"))[1]  # type: ignore[func-returns-value, method-assign]
    watch = fakes(reference())
    if first == "ours":
        with pytest.raises(SandboxError, match="worker was lost"):
            watch.measure(check(), student)
    else:
        assert watch.measure(check(), student).finding.status == "error"
    assert len(begun) == again


# ---------------------------------------------------------------- a grade


def result(verdict: Any) -> CallTiming:
    return CallTiming(timed(), verdict, "ratio", intervals.Interval(1.0, 2.0, 9.0))


WRONG = CheckTiming((), model.Finding("wrong-type", "out", {"actual": "a", "expected": "b", "output": "out"}))


@pytest.mark.parametrize(
    ("found", "status", "score", "maximum"),
    [
        (CheckTiming((result("within"),)), "passed", 35, 35),
        (CheckTiming((result("within"), result("inconclusive"))), "skipped", 30, 30),
        (WRONG, "blocked", 30, 35),
        (SandboxError("the reference could not be timed"), "skipped", 30, 30),
        (checker.reference_source.NotInstalled("the references are not installed"), "skipped", 30, 30),
    ],
)
def test_points_of_a_timing_check(server: ForkServer, found: Any, status: str, score: float, maximum: float) -> None:
    """Only measured calls and wrong answers count, never our own failures."""

    def measure(*_: Any) -> CheckTiming:
        if isinstance(found, Exception):
            raise found
        return found

    small = with_speed()
    watch: Any = types.SimpleNamespace(measure=measure)
    grade = Runner(small, server, timing_checker=watch).grade(script(RIGHT))
    assert grade.checks[-1].status == status
    assert (grade.score, grade.max_score) == (score, maximum)
