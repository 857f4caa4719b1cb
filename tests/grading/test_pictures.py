"""Pictures of attention weights: of shipped inputs only, small, and whatever a submission returns."""

from __future__ import annotations

import pytest

from autograder import assignments, model
from autograder.grading import pictures
from autograder.grading.runner import Runner
from autograder.sandbox.forkserver import ForkServer
from tests.corpus.suites import drawn
from tests.grading_helpers import submission
from tests.paths import ROOT

SOLUTION = {name: (ROOT / "solutions" / name / f"{name}.py").read_text() for name in assignments.NAMES}


def graded(server: ForkServer, text: str, assignment: str = "bahdanau") -> model.Grade:
    return Runner(drawn(assignment), server).grade(submission(text, assignment))


def changed(old: str, new: str) -> str:
    assert old in SOLUTION["bahdanau"]
    return SOLUTION["bahdanau"].replace(old, new)


@pytest.mark.parametrize("assignment", ["bahdanau", "luong", "self_attention", "masking"])
def test_a_solution_draws_what_is_expected(server: ForkServer, assignment: str) -> None:
    found = graded(server, SOLUTION[assignment], assignment).pictures
    assert found
    hidden = {check.id for check in drawn(assignment).spec.checks if check.visibility == "hidden"}
    for picture in found:
        assert picture.check not in hidden
        for yours, expected in zip(picture.actual, picture.expected, strict=True):
            assert yours == pytest.approx(expected, abs=2e-4)
            assert len(expected) <= model.SIDE
    parts = [picture.part for picture in found]
    assert max(map(parts.count, parts)) <= pictures.OF_A_PART


def test_a_mistake_shows_in_the_picture(server: ForkServer) -> None:
    found = graded(server, changed("torch.tanh(", "torch.sigmoid(")).pictures
    [softmax, example, other] = found
    assert softmax.actual == softmax.expected
    assert (example.check, example.axes) == ("attention-example", ("B", "T_s"))
    assert example.actual != example.expected
    assert other.expected != example.expected


def test_what_is_not_finite_is_no_number(server: ForkServer) -> None:
    text = changed("return context, weights", "return context, weights * float('nan')")
    assert {value for one in graded(server, text).pictures[1:] for row in one.actual for value in row} == {None}


@pytest.mark.parametrize("returned", ["context, weights[:, :1]", "context, None", "weights", "context, weights.bool()"])
def test_what_has_another_shape_or_kind_is_not_drawn(server: ForkServer, returned: str) -> None:
    found = graded(server, changed("return context, weights", f"return {returned}")).pictures
    assert {one.part for one in found} == {"stable_softmax"}


def test_only_shipped_inputs_are_drawn(server: ForkServer) -> None:
    """A worker could write what it knows of hidden inputs into its weights, so no answer to a hidden case is kept."""
    suite = drawn("bahdanau")
    asked: list[str] = []

    class Responses:
        def answer(self, case: str) -> None:
            asked.append(case)

    assert pictures.pictures(suite, Responses()) == ()  # type: ignore[arg-type]
    assert asked
    assert not set(asked) & set(suite.secret)


def test_large_weights_are_cut() -> None:
    import numpy as np

    found = pictures._matrix(np.arange(2 * 3 * 40 * 50, dtype=float).reshape(2, 3, 40, 50))
    assert (len(found), len(found[0])) == (model.SIDE, model.SIDE)
    assert found[0][:3] == (0.0, 1.0, 2.0)
    assert pictures._matrix(np.array([0.25, 0.75])) == ((0.25, 0.75),)
