"""Public checks while grading: the shipped numbers, and others from the secret seed."""

from __future__ import annotations

import pytest

from autograder import assignments, model, protocol
from autograder.assignments.kit import programs
from autograder.feedback import templates
from autograder.grading import redrawing, suite
from autograder.grading.runner import Runner
from autograder.sandbox.forkserver import ForkServer
from tests.grading import known_answers
from tests.small_suite_helpers import script

SIGNATURES = {
    "padding_mask": "lengths, max_len=None",
    "causal_mask": "length",
    "window_mask": "length, radius",
    "strided_mask": "length, stride",
    "combine_masks": "key_padding, attention",
    "masked_softmax": "scores, mask, dim=-1",
    "masked_attention": "query, key, value, mask",
    "masked_cross_entropy": "logits, targets, lengths",
}


@pytest.mark.parametrize("seed", ["any", pytest.param("d", marks=pytest.mark.thorough)])
def test_a_table_of_the_shipped_answers_earns_nothing(server: ForkServer, seed: str) -> None:
    public = suite.public("masking")
    table = script(known_answers.submission(public, SIGNATURES), "masking.py")
    at_home = Runner(public, server).grade(table)
    assert at_home.score >= 0.7 * at_home.max_score
    grade = Runner(suite.full("masking", seed, timing=False), server).grade(table)
    assert grade.score == 0
    passed_at_home = {check.id for check in at_home.checks if check.status == "passed"}
    alone = [check for check in grade.checks if check.id in passed_at_home]
    assert {check.message for check in alone if check.status != "blocked"} == {templates.REDRAWN}
    assert not [check.id for check in grade.checks if check.status == "passed"]


@pytest.mark.parametrize("name", assignments.NAMES)
def test_redrawn_cases_make_the_same_calls_with_other_numbers(name: str) -> None:
    for check in assignments.load(name, hidden=False).checks:
        for case in check.cases:
            assert case.redrawn().id == model.REDRAWN + case.id
            shown = case.build(programs.InputGenerator(programs.PUBLIC_SEED, name, case.id))
            other = case.redrawn().build(programs.InputGenerator("secret", name, case.redrawn().id))
            assert list(shown.named) == list(other.named)
            for first, second in zip(shown.calls, other.calls, strict=True):
                assert first.name == second.name
                assert differ(first, shown, second, other) or used(first, shown), (case.id, first.into)


@pytest.mark.parametrize("name", assignments.NAMES)
def test_every_public_check_has_a_redrawn_case_and_few_are_enough(name: str) -> None:
    spec = redrawing.redrawn(assignments.load(name, hidden=True), "any")
    public = [check for check in spec.checks if check.visibility == "public" and check.cases]
    for check in public:
        telling = {model.REDRAWN + case for case in redrawing.most_telling(check)}
        assert telling & {case.id for case in check.redrawn}, check.id
    cases = {case.id for check in public for case in check.cases}
    redrawn = {case.id for check in public for case in check.redrawn}
    assert len(redrawn) < len(cases)
    assert not [check for check in spec.checks if check.visibility == "hidden" and check.redrawn]


def redrawn(name: str, seed: str) -> list[list[str]]:
    """Return the redrawn cases of each check."""
    return [[case.id for case in check.redrawn] for check in redrawing.redrawn(assignments.load(name), seed).checks]


def test_the_seed_chooses_which_cases_are_redrawn() -> None:
    chosen = [[redrawn(name, seed) for name in assignments.NAMES] for seed in "abca"]
    assert chosen[0] == chosen[3]
    assert chosen[0] != chosen[1] != chosen[2]


def used(call: protocol.Call, program: protocol.Program) -> bool:
    """Whether another call of the program takes this one's result."""
    return any(isinstance(arg, protocol.Ref) and arg.name == call.into for one in program.calls for arg in one.args)


def differ(first: protocol.Call, shown: protocol.Program, second: protocol.Call, other: protocol.Program) -> bool:
    """Whether two calls have other inputs, or use results of earlier calls, or have none."""
    args = (*first.args, *first.kwargs.values())
    names = [arg.name for arg in args if isinstance(arg, protocol.Ref)]
    return (
        not args
        or any(name not in shown.arrays for name in names)
        or first.args != second.args
        or any(shown.arrays[name] != other.arrays[name] for name in names)
    )
