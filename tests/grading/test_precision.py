"""Guards of up to 1e-6 are right in both precisions, and float32 inside is not (contract, section 1)."""

from __future__ import annotations

import numpy as np
import pytest
from msgspec.structs import replace

from autograder import assignments, model
from autograder.assignments.kit.programs import InputGenerator
from autograder.grading import precision
from autograder.grading.runner import Runner
from autograder.grading.suite import CheckSuite
from autograder.protocol import wire
from autograder.sandbox.forkserver import ForkServer
from tests import small_suite_helpers as small
from tests.corpus.suites import drawn
from tests.grading_helpers import submission
from tests.paths import ROOT

LOWEST = """    lowest = torch.finfo(scores.dtype).min
    weights = torch.softmax(scores.masked_fill(~mask, lowest), dim=dim)
    return weights.masked_fill(~mask, 0.0)
"""
BY_HAND = """    largest = scores.masked_fill(~mask, torch.finfo(scores.dtype).min).amax(dim, keepdim=True).detach()
    e = torch.where(mask, scores - largest, 0.0).exp() * mask
    return e / GUARDED
"""
LOG_SPACE = """    s = scores.masked_fill(~mask, torch.finfo(scores.dtype).min)
    return torch.exp(s - torch.logsumexp(s, dim=dim, keepdim=True)).masked_fill(~mask, 0.0)
"""
SINGLE = LOWEST.replace("softmax(scores.m", "softmax(scores.float().m").replace("lowest),", "-1e38),")
SAFE = "    safe = weights.masked_fill(weights == 0, 1.0)\n"
DENOMINATOR = "exponentials.sum(dim=dim, keepdim=True)"

RIGHT = {
    "denominator": ("bahdanau", DENOMINATOR, f"({DENOMINATOR} + EPSILON)"),
    "masked denominator": ("masking", LOWEST, BY_HAND.replace("GUARDED", "(e.sum(dim, keepdim=True) + EPSILON)")),
    "clamped denominator": ("masking", LOWEST, BY_HAND.replace("GUARDED", "e.sum(dim, keepdim=True).clamp(EPSILON)")),
    "number of tokens": ("masking", "/ real.sum()", "/ (real.sum() + EPSILON)"),
    "logarithm": ("self_attention", SAFE, "    safe = weights + EPSILON\n"),
    "clamped logarithm": ("self_attention", SAFE, "    safe = weights.clamp(min=EPSILON)\n"),
    "clamped weights": ("self_attention", SAFE, "    safe = weights = weights.clamp(min=EPSILON)\n"),
}
WRONG = {
    "softmax": ("bahdanau", "(scores - ", "(scores.float() - "),
    "masked softmax": ("masking", LOWEST, SINGLE.replace("dim=dim)\n", "dim=dim).to(scores.dtype)\n")),
    "logarithm": ("self_attention", "safe.log()", "safe.float().log()"),
    "a guard that is too large": ("bahdanau", DENOMINATOR, f"({DENOMINATOR} + 1e-3)"),
}


def score(server: ForkServer, change: tuple[str, str, str], epsilon: str = "") -> float | None:
    assignment, old, new = change
    text = (ROOT / "solutions" / assignment / f"{assignment}.py").read_text()
    assert old in text
    text = text.replace(old, new.replace("EPSILON", epsilon))
    return Runner(drawn(assignment), server).grade(submission(text, assignment)).score


@pytest.mark.parametrize("epsilon", ["1e-6", pytest.param("1e-8", marks=pytest.mark.thorough)])
@pytest.mark.parametrize("guard", RIGHT)
def test_a_guard_costs_nothing(guard: str, epsilon: str, server: ForkServer) -> None:
    assert score(server, RIGHT[guard], epsilon) == 100


def test_logsumexp_is_right_as_far_as_scores_of_10000_are_known(server: ForkServer) -> None:
    assert score(server, ("masking", LOWEST, LOG_SPACE)) == 100


@pytest.mark.parametrize("mistake", WRONG)
def test_a_lower_precision_and_a_large_guard_are_wrong(mistake: str, server: ForkServer) -> None:
    found = score(server, WRONG[mistake])
    assert found is not None
    assert found < 96


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
def test_rounding_bends_a_line(dtype: type) -> None:
    x = np.random.default_rng(1).normal(size=50)
    way = np.where(x > 0, precision.STEP, -precision.STEP)
    results = [np.exp((x + step * way).astype(dtype)).astype(float) for step in (-1, 0, 1)]
    assert precision.straight(*results, size=1.0) is (dtype is np.float64)


def test_what_does_not_move_and_what_jumps_tell_nothing() -> None:
    still, edge = np.ones(3), np.array([1.0, 0.0, 0.0])
    assert precision.straight(still, still, still, size=1.0) is None
    assert precision.straight(edge, edge, np.roll(edge, 1), size=1.0) is None
    assert precision.straight(edge, edge * np.nan, edge, size=1.0) is None


@pytest.mark.parametrize("assignment", assignments.NAMES)
def test_only_numbers_other_than_0_are_nudged(assignment: str) -> None:
    for check in assignments.load(assignment).checks:
        for case in check.cases:
            program = case.build(InputGenerator("", assignment, case.id))
            for name, array in precision.nudged(program, precision.STEP).arrays.items():
                before, after = wire.to_numpy(program.arrays[name]), wire.to_numpy(array)
                if before.dtype.kind == "f" and program.dtype == "float64":
                    assert np.allclose(np.abs(after - before), np.where(before == 0, 0.0, precision.STEP), rtol=1e-3)
                else:
                    assert np.allclose(after, before, rtol=0, atol=2 * precision.STEP)


def normalised(x: np.ndarray) -> np.ndarray:
    """Return rows of mean 0 and variance 1, with a guard of 1e-5 below the root."""
    centred = x - x.mean(-1, keepdims=True)
    return centred / np.sqrt((centred**2).mean(-1, keepdims=True) + 1e-5)


def suite_of(**inputs: np.ndarray) -> CheckSuite:
    """Return a suite with a check for each input of ``normalise``. Names that start with ``hidden`` are hidden."""
    expects = (model.Assertion("shapes", "out"), model.Assertion("values", "out"))
    checks = tuple(
        replace(small.check(name, *expects, hidden=name.startswith("hidden")), part="normalise") for name in inputs
    )
    prepared = {
        name: small.asked(name, small.call("normalise", "x"), {"out": normalised(x)}, x=x) for name, x in inputs.items()
    }
    return CheckSuite(model.Spec("small", "Small", checks, ("normalise",)), prepared, lambda _: ())


OUTSIDE = """
import torch

def normalise(x):
    return (x - x.mean(-1, keepdim=True)) / (x.std(-1, correction=0, keepdim=True) + 1e-5)
"""
USUAL = np.random.default_rng(7).normal(size=(4, 7)) * 3


@pytest.mark.parametrize("hidden", [1e8 + USUAL, 1e7 + USUAL, USUAL * 1e-4], ids=["far", "less-far", "tiny"])
def test_a_public_check_does_not_depend_on_the_numbers_of_a_hidden_one(hidden: np.ndarray, server: ForkServer) -> None:
    alone = Runner(suite_of(values=USUAL), server).grade(small.script(OUTSIDE))
    beside = Runner(suite_of(values=USUAL, hidden_numbers=hidden), server)
    assert [check.status for check in alone.checks] == ["passed"]
    assert beside.grade(small.script(OUTSIDE)).checks[0].status == "passed"


@pytest.mark.parametrize(("scale", "told"), [(1.0, True), (1e4, True), (1e7, False), (1e-5, False), (0.0, True)])
def test_a_step_tells_something_next_to_numbers_of_its_size(scale: float, told: bool) -> None:
    asked = small.program(small.call("normalise", "x"), x=USUAL * scale, gain=np.ones(7))
    assert precision.tells(asked) is told


def test_single_precision_in_a_hidden_case_fails_there_alone(server: ForkServer) -> None:
    sneaky = OUTSIDE.replace("    return", "    if x.shape[0] == 3:\n        x = x.float().double()\n    return")
    grade = Runner(suite_of(values=USUAL, hidden_numbers=USUAL[:3]), server).grade(small.script(sneaky))
    assert [check.status for check in grade.checks] == ["passed", "failed"]
