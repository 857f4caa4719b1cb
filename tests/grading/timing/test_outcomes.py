"""Speed is not measured where the answers can't count: another check of the part shows it already."""

from __future__ import annotations

import pytest

from autograder import model, protocol
from autograder.assignments.kit.programs import InputGenerator
from autograder.grading import suite
from autograder.grading.responses import NoAnswer
from autograder.grading.runner import Runner
from autograder.grading.session import Session
from autograder.grading.timing.checker import CheckTiming
from autograder.grading.timing.intervals import Interval
from autograder.grading.timing.paired import WrongAnswer, require
from autograder.grading.timing.verdict import CallTiming
from autograder.sandbox.forkserver import ForkServer
from tests.corpus.suites import SEED
from tests.grading_helpers import submission
from tests.paths import ROOT

SOLUTION = (ROOT / "solutions" / "bahdanau" / "bahdanau.py").read_text(encoding="utf-8")
LINE = "    return weights * (grad_weights - mean_gradient)\n"
CHECKS = ("vjp-values", "vjp-shapes", "vjp-speed", "vjp-example", "vjp-one-hot")


class Measured(Exception):
    """The check of speed was measured."""


class Checker:
    """Measures nothing."""

    def measure(self, *_: object) -> None:
        raise Measured


def speed(server: ForkServer, line: str) -> model.Outcome:
    assert LINE in SOLUTION
    checks = suite.full("bahdanau", SEED)
    checks = checks.only({one.id for one in checks.spec.checks if one.id in CHECKS})
    runner = Runner(checks, server, timing_checker=Checker())  # type: ignore[arg-type]
    grade = runner.grade(submission(SOLUTION.replace(LINE, line), "bahdanau"))
    return next(check for check in grade.checks if check.kind == "timing")


@pytest.mark.parametrize(
    ("line", "status", "cause"),
    [
        ("    while True: pass\n", "timeout", "too-slow"),
        ("    raise NotImplementedError\n", "error", "not-implemented"),
        ("    raise OSError\n", "error", None),
        ('    raise RuntimeError("same dtype")\n', "error", "dtype-hardcoded"),
        ("    return weights + 7 * grad_weights\n", "blocked", None),
    ],
)
def test_a_part_that_is_wrong_throughout_is_not_measured(
    server: ForkServer, line: str, status: str, cause: str | None
) -> None:
    found = speed(server, line)
    assert (found.status, found.points, found.diagnosis) == (status, 0, cause)


@pytest.mark.parametrize(
    "line",
    [
        LINE,
        "    return weights * (1 - weights) * grad_weights\n",  # a confirmed mistake: its own answers count as right
        LINE.replace("return", "return torch.where(weights == 1, 1.0, 0.0) +"),  # wrong in a corner only
    ],
)
def test_otherwise_it_is_measured(server: ForkServer, line: str) -> None:
    with pytest.raises(Measured):
        speed(server, line)


class Scripted:
    """Finds calls too slow as a script says: by the part, and the right parts that its session has."""

    def __init__(self, slow: dict[str, set[tuple[str, ...]]]) -> None:
        self.slow = slow
        self.asked: list[tuple[str, tuple[str, ...]]] = []

    def measure(self, check: model.Check, session: Session, mistakes: object) -> CheckTiming:
        right = session.right.names if session.right else ()
        self.asked.append((check.part, right))
        timed = check.timed[0]
        program = timed.build(InputGenerator(SEED, "bahdanau", check.id, 0), 8, 1)
        result = CallTiming(timed, "within", "ratio", Interval(1.0, 1.0, 1.0))
        if right not in self.slow.get(check.part, ()):
            return CheckTiming((result,))
        facts = result.facts | {"operations": [(4, 10), (64, 160)]}
        finding = model.Finding("too-slow", program.calls[0].into, facts, diagnosis="too-slow")
        return CheckTiming((result,), finding, model.Prepared(timed.name, program, ()))


SPEEDS = ("softmax-speed", "vjp-speed", "attention-speed")
SOFTMAX, ATTENTION = "stable_softmax", "BahdanauAttention"


def speeds(server: ForkServer, source: str, checker: Scripted) -> dict[str, model.Outcome]:
    checks = suite.full("bahdanau", SEED)
    checks = checks.only({one.id for one in checks.spec.checks if one.id in (*SPEEDS, "softmax-values")})
    runner = Runner(checks, server, timing_checker=checker)  # type: ignore[arg-type]
    return {check.id: check for check in runner.grade(submission(source, "bahdanau")).checks}


def test_a_part_that_is_slow_only_through_a_slow_one_keeps_its_points(server: ForkServer) -> None:
    checker = Scripted({SOFTMAX: {()}, ATTENTION: {()}})
    found = speeds(server, SOLUTION, checker)
    assert [found[name].status for name in SPEEDS] == ["failed", "passed", "failed"]
    slow, caller = found["softmax-speed"], found["attention-speed"]
    assert (slow.points, slow.consequence_of) == (0, None)
    assert (caller.points, caller.consequence_of) == (caller.max_points, slow.id)
    assert checker.asked.count((ATTENTION, (SOFTMAX,))) == 1


def test_a_part_that_is_slow_with_a_right_one_too_is_charged(server: ForkServer) -> None:
    found = speeds(server, SOLUTION, Scripted({SOFTMAX: {()}, ATTENTION: {(), (SOFTMAX,)}}))
    assert (found["attention-speed"].points, found["attention-speed"].consequence_of) == (0, None)


def test_a_slow_part_that_is_not_used_excuses_nothing(server: ForkServer) -> None:
    alone = SOLUTION.replace("weights = stable_softmax(", "weights = torch.softmax(")
    assert alone != SOLUTION
    checker = Scripted({SOFTMAX: {()}, ATTENTION: {()}})
    found = speeds(server, alone, checker)
    assert (found["attention-speed"].points, found["attention-speed"].consequence_of) == (0, None)
    assert (ATTENTION, (SOFTMAX,)) not in checker.asked


class Raising:
    """Says that every timed call raises."""

    def __init__(self, raised: protocol.Raised) -> None:
        self.raised = raised

    def measure(self, check: model.Check, _session: Session, _mistakes: object) -> CheckTiming:
        timed = check.timed[0]
        program = timed.build(InputGenerator(SEED, "bahdanau", check.id, 0), 8, 1)
        finding = model.Finding("raised", program.calls[0].into, {"raised": self.raised}, "error")
        return CheckTiming((), finding, model.Prepared(timed.name, program, ()))


VIEWED = "    return weights * (grad_weights.view(-1).view(weights.shape) - mean_gradient)\n"


@pytest.mark.parametrize(("further", "follows"), [(0, True), (1, False)])
def test_a_timed_call_that_raises_as_others_do_has_their_cause_and_no_points(
    server: ForkServer, further: int, follows: bool
) -> None:
    source = SOLUTION.replace(LINE, VIEWED)
    line = source.splitlines().index(VIEWED.rstrip("\n")) + 1 + further
    checks = suite.full("bahdanau", SEED)
    checks = checks.only({one.id for one in checks.spec.checks if one.part == "softmax_vjp"})
    checker = Raising(protocol.Raised("RuntimeError", ("RuntimeError", "Exception"), "view size", line))
    runner = Runner(checks, server, timing_checker=checker)  # type: ignore[arg-type]
    grade = runner.grade(submission(source, "bahdanau"))
    [viewed] = [one for one in grade.checks if one.diagnosis == "contiguous-only" and one.kind != "timing"]
    [speed] = [one for one in grade.checks if one.kind == "timing"]
    assert (speed.status, speed.consequence_of, speed.points) == ("error", None, 0)
    assert (speed.diagnosis == viewed.diagnosis) is follows


@pytest.mark.parametrize(
    ("symptom", "status", "cause"),
    [
        ("timed-out", "timeout", "too-slow"),
        ("unreached", "timeout", "too-slow"),
        ("did-nothing", "timeout", None),
        ("crashed", "error", None),
    ],
)
def test_a_timed_call_that_does_not_finish_is_too_slow(symptom: str, status: str, cause: str | None) -> None:
    check = next(one for one in suite.full("bahdanau", SEED).spec.checks if one.id == "vjp-speed")
    program = check.timed[0].build(InputGenerator(SEED, "bahdanau", check.id, 0), 8, 1)
    none = NoAnswer(symptom, status)  # type: ignore[arg-type]
    with pytest.raises(WrongAnswer) as raised:
        require(program, none, protocol.Answer("", ()), ())
    assert (raised.value.finding.status, raised.value.finding.diagnosis) == (status, cause)
