"""Pictures of attention weights: of shipped inputs only, small, and whatever a submission returns."""

from __future__ import annotations

import math

import numpy as np
import pytest

from autograder import assignments, model, protocol
from autograder.assignments import declared
from autograder.grading import pictures
from autograder.grading.runner import Runner
from autograder.model.grades import LONGEST_WORD
from autograder.protocol import wire
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
    assert example.entropies == ((1.385,), (1.3698,))  # of what was returned, and of what is expected
    assert other.expected != example.expected


@pytest.mark.parametrize("assignment", ["bahdanau", "luong", "self_attention"])
def test_rows_and_columns_have_words_where_an_example_declares_them(server: ForkServer, assignment: str) -> None:
    found = graded(server, SOLUTION[assignment], assignment).pictures
    spoken = [one for one in found if one.words != ((), ())]
    assert [one.words for one in spoken] == list(declared(assignment, "words", "WORDS", {}).values())[::-1]
    for picture in spoken:
        assert (len(picture.words[0]), len(picture.words[1])) == (len(picture.expected), len(picture.expected[0]))
        assert all(len(word) <= LONGEST_WORD for words in picture.words for word in words)


def test_the_mask_of_a_call_and_the_entropy_of_each_row(server: ForkServer) -> None:
    found = graded(server, SOLUTION["self_attention"], "self_attention").pictures
    of = {part: [one for one in found if one.part == part] for part in {one.part for one in found}}
    example = of["scaled_dot_product_attention"][0]
    assert example.mask == ((True, False, True), (False, False, False), (True, True, True))
    assert example.entropies == ((0.6931, 0.0, 1.0373),) * 2
    assert of["self_attention"][0].mask == ()
    for picture in found:
        hidden = [(row, column) for row, one in enumerate(picture.mask) for column, seen in enumerate(one) if not seen]
        assert all(picture.expected[row][column] == 0 for row, column in hidden)
    heads = of["MultiHeadAttention"][0]
    assert {seen for row in heads.mask for seen in row} == {True, False}


@pytest.mark.parametrize(("assignment", "part"), [("masking", "masked_softmax"), ("luong", "local_weights")])
def test_a_function_whose_only_result_is_weights_is_drawn(server: ForkServer, assignment: str, part: str) -> None:
    found = [one for one in graded(server, SOLUTION[assignment], assignment).pictures if one.part == part]
    assert len(found) == 2
    assert all(one.entropies[0] for one in found)
    assert all(one.mask for one in found) == (part == "masked_softmax")


def test_rows_lie_along_the_last_axis() -> None:
    def calls(**named: int) -> list[str]:
        step = protocol.Call("out", "masked_softmax", kwargs=dict(named))
        return list(pictures._calls(protocol.Program("float64", {}, (step,))))

    assert calls() == calls(dim=-1) == ["out"]
    assert calls(dim=1) == []


def test_entropies_are_of_whole_rows_and_no_number_where_a_weight_is_none() -> None:
    long = np.full((1, 40), 1 / 40)
    assert pictures._entropies(long) == (round(math.log(40), 4),)
    odd = np.array([[0.0, 1.0], [-0.5, 1.5], [np.nan, 1.0], [np.inf, 0.0]])
    assert pictures._entropies(odd) == (0.0, round(-1.5 * math.log(1.5), 4), None, None)


def test_a_mask_with_fewer_axes_than_the_weights_keeps_its_place() -> None:
    """The mask of several heads is that of (B, T_q, T_k): its first axis is no head."""
    mask = np.array([[[True, False]], [[False, True]], [[True, True]]])  # of three sentences, with two heads each
    program = protocol.Program(
        "float64",
        {"mask": wire.to_array(mask)},
        (
            protocol.Make("heads", "MultiHeadAttention", [4, 2]),
            protocol.Call("out", "heads", kwargs={"mask": protocol.Ref("mask")}, outputs=("output", "weights")),
        ),
    )
    assert pictures._mask(program, "out", (3, 2, 1, 2)) == ((True, False),)
    assert pictures._mask(program, "out", (5, 2, 1, 2)) == ()  # no mask of such weights


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
    found = pictures._matrix(np.arange(2 * 3 * 40 * 50, dtype=float).reshape(2, 3, 40, 50))
    assert (len(found), len(found[0])) == (model.SIDE, model.SIDE)
    assert found[0][:3] == (0.0, 1.0, 2.0)
    assert pictures._matrix(np.array([0.25, 0.75])) == ((0.25, 0.75),)
