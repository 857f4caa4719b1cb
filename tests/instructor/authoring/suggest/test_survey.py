"""What an assignment lets one call is found from docstrings, signatures and trying."""

from __future__ import annotations

from functools import cache

import pytest

from autograder.assignments import places
from autograder.instructor.authoring.suggest import holding, properties, refusals, subjects
from autograder.instructor.authoring.suggest.candidates import Candidate
from autograder.instructor.authoring.suggest.survey import Survey
from autograder.instructor.authoring.suggest.trying import Bench


@cache
def survey(assignment: str) -> Survey:
    solution = places.place(assignment).solution.read_text()
    return Survey(Bench(assignment), subjects.assignment(assignment, solution), {})


def mains(assignment: str) -> dict[str, str]:
    drafts = (form.tried.draft for form in survey(assignment).forms if form.is_main)
    return {draft.label: draft.text for draft in drafts}


@pytest.mark.parametrize("assignment", ["bahdanau", "luong", "self_attention", "masking"])
def test_everything_is_called(assignment: str) -> None:
    found = survey(assignment)
    assert found.missing == []
    called = {form.tried.draft.name for form in found.forms}
    assert called == {part.name for part in found.assignment.parts}


def test_an_argument_of_which_nothing_is_known_is_left_to_the_author() -> None:
    missing = {one.target: one.line for one in survey("bottleneck").missing}
    assert missing["own_numbers"] == "INPUTS = ['own_numbers(token=...)']"


def test_options_of_a_constructor_are_settings() -> None:
    made = {one.draft.tag: one.draft for one in survey("luong").made["LuongAttention"]}
    assert set(made) == {"dot", "general", "concat"}
    assert made["dot"].init == ('"enc_dim"', '"enc_dim"')
    assert made["concat"].init == ('"enc_dim"', '"dec_dim"', 'constant("concat")', '"attn_dim"')
    assert made["concat"].weights == {"W_a.weight": "attn_dim enc_dim+dec_dim", "v.weight": "1 attn_dim"}


def test_a_width_that_must_be_a_multiple_is_one() -> None:
    (made,) = survey("self_attention").made["MultiHeadAttention"]
    assert made.draft.init == ('"d_model"', '"num_heads"')
    assert made.draft.rules == {"d_model": '"num_heads * d_model_each"'}
    call = mains("self_attention")["MultiHeadAttention"]
    assert '"weights": "B num_heads T_q T_k"' in call


def test_numbers_are_sizes_only_where_a_result_has_them() -> None:
    found = mains("masking")
    assert 'length=constant("@length"), radius=2' in found["window_mask"]
    assert 'lengths=lengths("B", upto="T")' in found["padding_mask"]
    assert 'targets=integers("B T", below="V")' in found["masked_cross_entropy"]
    positions = mains("self_attention")["sinusoidal_positions"]
    assert 'dim=constant("@dim")' in positions
    assert 'sizes={"dim": size(multiple_of=2)}' in positions


def test_results_have_the_names_of_the_docstring() -> None:
    assert 'returns={"context": "B enc_dim", "weights": "B T_s"}' in mains("bahdanau")["BahdanauAttention"]


def likely(assignment: str) -> dict[str, bool]:
    """Whether the checks of the first forms hold on the reference, by their lines without points."""
    found = survey(assignment)
    every: list[Candidate] = [one for form in found.forms if form.is_main for one in properties.of(form)]
    every += refusals.of(found)
    return {one.line.replace("{points}, ", ""): holding.holds(assignment, one) for one in every if not one.tag}


def test_only_properties_that_the_reference_has_hold() -> None:
    held = likely("luong")
    assert held['permutation(ATTENTIONAL_HIDDEN_CALL, "T_t")']
    assert not held['permutation(LOCAL_WEIGHTS, "T_s")']
    assert held["zeros(LOCAL_WEIGHTS, {points})"]
    shifts = {line: yes for line, yes in likely_shifts("luong").items() if "LOCAL_WEIGHTS," in line}
    assert [line for line, yes in shifts.items() if yes] == ['shift(LOCAL_WEIGHTS, {points}, "scores", "T_s"']


def likely_shifts(assignment: str) -> dict[str, bool]:
    found = survey(assignment)
    every = (one for form in found.forms if form.is_main for one in properties.of(form) if one.kind == "shift")
    return {one.line.partition(", id=")[0]: holding.holds(assignment, one) for one in every}


def test_what_the_reference_refuses_is_a_check() -> None:
    refused = {line: yes for line, yes in likely("luong").items() if line.startswith("raises")}
    assert len(refused) == 3
    assert all(refused.values())
    assert any("method='concat'" in line for line in refused)
