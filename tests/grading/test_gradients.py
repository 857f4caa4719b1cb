"""Gradients by parameter: of shipped inputs only, small, judged as the checks judge them."""

from __future__ import annotations

import math
from collections.abc import Callable, Collection

import msgspec
import numpy as np
import pytest
from msgspec.structs import replace

from autograder import assignments, model, protocol
from autograder.grading import gradients
from autograder.grading.runner import Runner
from autograder.grading.suite import CheckSuite
from autograder.protocol import wire
from autograder.sandbox.forkserver import ForkServer
from tests.corpus.suites import SOME, drawn
from tests.grading_helpers import submission
from tests.paths import ROOT

SOLUTION = {name: (ROOT / "solutions" / name / f"{name}.py").read_text() for name in assignments.NAMES}
MOST_BYTES = 8_000  # of a part; the largest, seq2seq's, has 3,000
Change = Callable[[dict[str, protocol.Array | None]], dict[str, protocol.Array | None]]


class Answers:
    """The expected results, with other gradients."""

    def __init__(self, suite: CheckSuite, change: Change) -> None:
        self.suite, self.change = suite, change
        self.asked: set[str] = set()

    def answer(self, case: str) -> protocol.Answer:
        self.asked.add(case)
        results = self.suite.prepared[case].expected_results
        return protocol.Answer("n", tuple(replace(one, gradients=self.change(dict(one.gradients))) for one in results))


def drawn_for(assignment: str, change: Change, passing: Collection[str] = ()) -> tuple[model.GradientPicture, ...]:
    """Return the pictures of changed gradients. All checks but those ``passing`` fail in all of their cases."""
    suite = drawn(assignment)
    cases = {check.id: {case.id for case in check.cases} for check in suite.spec.checks}
    answers = Answers(suite, change)
    return gradients.gradients(suite, answers, lambda check: () if check in passing else cases[check])  # type: ignore[arg-type]


def changed(name: str, values: Callable[[np.ndarray], np.ndarray | None]) -> Change:
    """Return a change of one gradient."""

    def change(found: dict[str, protocol.Array | None]) -> dict[str, protocol.Array | None]:
        array = found.get(name)
        if array is None:
            return found
        new = values(wire.to_numpy(array))
        return found | {name: None if new is None else wire.to_array(new)}

    return change


def row(picture: model.GradientPicture, name: str) -> model.GradientRow:
    [found] = [one for one in picture.rows if one.name == name]
    return found


@pytest.mark.parametrize("assignment", SOME)
def test_every_part_with_public_gradients_has_one_small_picture(assignment: str) -> None:
    asked = [
        check for check in drawn(assignment).spec.checks if check.visibility == "public" and check.kind == "gradient"
    ]
    found = drawn_for(assignment, lambda gradients: gradients)
    parts = [picture.part for picture in found]
    assert len(set(parts)) == len(parts)
    assert {check.part for check in asked} <= set(parts)
    for picture in found:
        assert {row.state for row in picture.rows} == {"right"}
        assert {row.error for row in picture.rows} <= {0.0, None}
        assert len({row.name for row in picture.rows}) == len(picture.rows) <= model.MOST_ROWS
        encoded = msgspec.json.encode(picture)
        assert len(encoded) < MOST_BYTES
        assert msgspec.json.decode(encoded, type=model.GradientPicture) == picture


@pytest.mark.parametrize("assignment", SOME)
def test_only_shipped_inputs_are_drawn(assignment: str) -> None:
    """A worker could write what it knows of hidden inputs into its gradients, so no answer to a hidden case counts."""
    suite = drawn(assignment)
    answers = Answers(suite, lambda gradients: gradients)
    gradients.gradients(suite, answers, lambda check: ())  # type: ignore[arg-type]
    assert answers.asked
    assert not answers.asked & suite.secret


@pytest.mark.parametrize(
    ("values", "state", "error"),
    [
        (lambda array: array, "right", 0.0),
        (lambda array: 1.5 * array, "wrong", 0.5),
        (lambda array: -array, "wrong", 2.0),
        (lambda array: 0 * array, "wrong", 1.0),
        (lambda array: None, "missing", None),
        (lambda array: array.T, "wrong-shape", None),
        (lambda array: array * np.nan, "not-finite", None),
        (lambda array: array * np.inf, "not-finite", None),
        (lambda array: np.full_like(array, 1e300), "wrong", None),
        (lambda array: array.astype(np.complex128) * 1j, "wrong", math.sqrt(2)),
        (lambda array: array > 0, "wrong", ...),
    ],
)
def test_what_is_wrong_stands_in_its_row(
    values: Callable[[np.ndarray], np.ndarray | None], state: str, error: float | None
) -> None:
    name = "attention.W_s.weight"
    [picture] = drawn_for("bahdanau", changed(name, values))
    found = row(picture, name)
    assert found.state == state
    assert error is ... or found.error == (None if error is None else pytest.approx(error, rel=1e-3))
    assert {one.state for one in picture.rows if one.name != name} == {"right"}
    for number in (found.actual, found.expected, found.error):
        assert number is None or math.isfinite(number)
    assert msgspec.json.decode(msgspec.json.encode(picture), type=model.GradientPicture) == picture


def test_what_cannot_be_read_is_no_number() -> None:
    def change(found: dict[str, protocol.Array | None]) -> dict[str, protocol.Array | None]:
        return {name: array and replace(array, dtype="bfloat16", data=b"") for name, array in found.items()}

    [picture] = drawn_for("bahdanau", change)
    assert {(one.state, one.actual) for one in picture.rows} == {("unreadable", None)}


def test_names_that_nobody_asked_for_are_not_kept() -> None:
    bad = wire.to_array(np.ones(3))
    [picture] = drawn_for("bahdanau", lambda found: found | {"<script>": bad, "attention.own": bad})
    [same] = drawn_for("bahdanau", lambda found: found)
    assert picture == same


def test_a_part_is_shown_where_it_is_wrong() -> None:
    """Only the score ``concat`` has a vector v. Elsewhere all gradients are right."""
    picture = next(one for one in drawn_for("luong", changed("attention.v.weight", lambda array: -array)))
    assert (picture.part, row(picture, "attention.v.weight").state) == ("LuongAttention", "wrong")


def test_where_a_check_passes_no_row_is_wrong() -> None:
    """A guard may change a gradient by more than the tolerance. What is forgiven must not look wrong."""
    change = changed("decoder_state", lambda array: array * (1 + 1e-6))
    [judged] = drawn_for("bahdanau", change)
    [forgiven] = drawn_for("bahdanau", change, passing={"attention-gradients"})
    assert row(judged, "decoder_state").state == "wrong"
    assert {one.state for one in forgiven.rows} == {"right"}


def test_entries_that_only_have_to_be_finite_do_not_count() -> None:
    """The entropy's gradient at a weight of 0 is infinite in the formula, and any finite number is right."""
    suite = drawn("self_attention")
    weights = wire.to_numpy(suite.prepared["entropy-zero"].program.arrays["weights"])

    def change(found: dict[str, protocol.Array | None]) -> dict[str, protocol.Array | None]:
        return changed("weights", lambda array: np.where(weights == 0, 1e6, array))(found)

    drawings = drawn_for("self_attention", change)
    [entropy] = [one for one in drawings if one.part == "attention_entropy"]
    assert [(one.state, one.error) for one in entropy.rows] == [("right", 0.0)]


def graded(server: ForkServer, old: str, new: str) -> model.Grade:
    text = SOLUTION["bahdanau"]
    assert old in text
    return Runner(drawn("bahdanau"), server).grade(submission(text.replace(old, new), "bahdanau"))


def test_a_cut_graph_shows_which_gradients_are_missing(server: ForkServer) -> None:
    [picture] = graded(server, "query = self.W_s(decoder_state)", "query = self.W_s(decoder_state).detach()").gradients
    states = {one.name: one.state for one in picture.rows}
    assert {name for name, state in states.items() if state == "missing"} == {"decoder_state", "attention.W_s.weight"}
    assert set(states.values()) == {"missing", "right"}


def test_a_solution_is_as_expected(server: ForkServer) -> None:
    [picture] = graded(server, "import torch", "import torch").gradients
    assert {one.state for one in picture.rows} == {"right"}
    assert all(one.actual == pytest.approx(one.expected, rel=1e-3) for one in picture.rows)


@pytest.mark.parametrize("line", ["raise OSError", "return None", "while True: pass"])
def test_what_does_not_answer_has_no_picture(server: ForkServer, line: str) -> None:
    start = "weights = stable_softmax(self.score(decoder_state, encoder_states)"
    assert graded(server, start, f"{line}\n        {start}").gradients == ()
