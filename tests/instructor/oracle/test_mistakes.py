"""The known mistakes: each shows somewhere, none is a right answer in disguise, and with all other witnesses they tell
every cause that an assignment can have."""

from __future__ import annotations

import ast
import importlib
import re
from collections import Counter
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import torch

from autograder import assignments, protocol
from autograder.assignments import NAMES
from autograder.assignments.bahdanau.hidden import mistakes as bahdanau
from autograder.assignments.luong.hidden import mistakes as luong
from autograder.assignments.luong.hidden.mistakes import attention, local
from autograder.assignments.masking.hidden.mistakes import loss, softmax
from autograder.assignments.self_attention.hidden.mistakes import parts
from autograder.assignments.seq2seq.hidden.mistakes import whole
from autograder.feedback.causes import CAUSES
from autograder.feedback.diagnose import patterns, signs, symptoms
from autograder.instructor import oracle
from autograder.instructor.oracle import mistakes
from autograder.judge import result_tables, same_answer, source
from tests.corpus.suites import DEAR, FIRST, cost, drawn
from tests.paths import ROOT
from tests.small_suite_helpers import asked, call

# A dear suite is drawn by `make thorough` only.
BY_COST = [pytest.param(name, marks=pytest.mark.thorough if cost(name) >= DEAR else ()) for name in NAMES]
# An assignment may keep its part of the tables below in a file of its own: OWN, NOT_IN and STAND_INS.
OF_ASSIGNMENTS = {
    name: importlib.import_module(f"tests.assignments.{name}.known_mistakes")
    for name in NAMES
    if (ROOT / "tests" / "assignments" / name / "known_mistakes.py").is_file()
}

# Variants that are made together with others, by a table, and give what is due in this topic.
SILENT = {
    r"missing-zero-grad/train_step-optimizer-only": "the optimizers of the checks hold all parameters",
    r"mask-leaks/LuongDecoder-softmax-fill-10000-cleared": "it shows only below -10,000, which not every seed draws",
    r"wrong-parameters/.*-padding-idx": "no gradient at the word 0 was asked for there",
}

# Which ids of the contract's section 5 an assignment can have, beside those of any assignment.
NOT_IN = {
    "masking": {"missing-tanh", "wrong-activation", "context-from-projections"},
    "self_attention": {"missing-tanh", "wrong-activation"},
    **{name: module.NOT_IN for name, module in OF_ASSIGNMENTS.items()},
}
FROM_ANY = """
softmax-wrong-axis missing-softmax not-softmax softmax-unstable hard-attention missing-scale wrong-scale detached-graph
modifies-input dtype-hardcoded device-hardcoded ignores-batch squeeze-drops-dim returns-swapped mean-not-sum stateful
random-in-eval hardcoded-answer silent-broadcast wrong-parameters not-implemented forbidden-call too-slow missing-tanh
wrong-activation context-from-projections
"""
MASKS = """
mask-inverted mask-after-softmax mask-multiplies-scores mask-leaks mask-wrong-axis nan-on-masked-row
uniform-on-masked-row nan-in-gradient
"""
OWN = {
    "bahdanau": "missing-decoder-term missing-encoder-term vjp-diagonal-only vjp-missing-mean",
    "luong": """general-transposed concat-order-swapped cosine-not-dot window-off-by-one no-window wrong-sigma
        no-gaussian renormalised-window nan-on-masked-row uniform-on-masked-row""",
    "self_attention": MASKS
    + """values-not-projected query-key-swapped heads-mixed missing-output-projection
        sin-cos-swapped wrong-frequency temperature-multiplies wrong-log-base nan-at-zero-weight""",
    "masking": MASKS
    + """causal-excludes-self causal-reversed padding-off-by-one loss-counts-padding
        loss-mean-of-means mask-not-used""",
    "seq2seq": MASKS
    + """query-after-step query-before-step padding-changes-state mask-not-used wrong-final-state
        teacher-forcing-shifted no-input-feeding context-missing-from-output state-not-carried eos-not-final
        missing-zero-grad missing-clip clip-by-value greedy-not-beam bleu-no-brevity-penalty bleu-no-clipping
        loss-counts-padding loss-mean-of-means padding-off-by-one missing-decoder-term missing-encoder-term
        concat-order-swapped""",
    **{name: " ".join(module.OWN) for name, module in OF_ASSIGNMENTS.items()},
}
WHOLE: dict[str, Any] = whole.WHOLE
# What variants are made of, with no part replaced: answers as the references do.
STAND_INS: dict[str, dict[str, Any]] = {
    "bahdanau": {"BahdanauAttention": bahdanau.attention()},
    "luong": attention.attention()
    | local.local()
    | luong.hidden(lambda c, s, W: torch.tanh(torch.cat([c, s], -1) @ W.T)),
    "masking": {"masked_attention": softmax.attention(), "masked_cross_entropy": loss.loss()},
    "self_attention": parts.everywhere() | {"self_attention": parts.bare()},
    "seq2seq": WHOLE,
    "seq2seq aside": WHOLE | {"Seq2Seq": whole.seq2seq(finished="aside")},
    "seq2seq early": WHOLE | {"Seq2Seq": whole.seq2seq(finished="early")},
    **{name: module.STAND_INS for name, module in OF_ASSIGNMENTS.items()},
}


@pytest.mark.parametrize("assignment", FIRST)
def test_each_variant_shows_in_some_case(assignment: str) -> None:
    ids = {one.id for one in mistakes.variants(assignment)}
    shown = {one.variant for case in drawn(assignment).prepared for one in drawn(assignment).variant_answers(case)}
    assert shown <= ids
    silent = {name for name in ids - shown if not any(re.fullmatch(form, name) for form in SILENT)}
    assert not silent


@pytest.mark.parametrize("assignment", BY_COST)
class TestVariants:
    """The variants of every assignment."""

    def test_ids_are_unique_and_causes_known(self, assignment: str) -> None:
        known = mistakes.variants(assignment)
        assert not [name for name, count in Counter(one.id for one in known).items() if count > 1]
        assert {one.cause for one in known} <= {*CAUSES, ""}

    def test_with_the_other_witnesses_they_tell_every_cause(self, assignment: str) -> None:
        said = {rule.options.get("cause") for check in drawn(assignment).spec.checks for rule in check.assertions}
        told = {one.cause for one in mistakes.variants(assignment)} | witnessed() | said
        expected = {*FROM_ANY.split(), *OWN.get(assignment, "").split()} - NOT_IN.get(assignment, set())
        if assignment not in OWN:  # its own page says what it names
            expected = set(assignments.declared(assignment, "causes", "CAUSES", {}))
        assert expected <= CAUSES.keys()
        assert not expected - told


@pytest.mark.parametrize("assignment", FIRST)
def test_answers_of_variants_are_those_of_steps_that_a_case_has(assignment: str) -> None:
    for case, prepared in drawn(assignment).prepared.items():
        expected = result_tables.table(prepared.program, prepared.expected_results)
        for one in drawn(assignment).variant_answers(case):
            assert one.arrays or one.raises
            for step, what, name, _ in one.arrays:
                assert (step, what, name) in expected


def witnessed() -> set[str]:
    """The causes that symptoms, patterns and signs can tell."""
    tree = ast.parse(Path(symptoms.__file__).read_text(encoding="utf-8"))
    texts = {str(node.value) for node in ast.walk(tree) if isinstance(node, ast.Constant)}
    return {*patterns.PATTERNS, *signs.SIGNS, *(texts & CAUSES.keys())}


@pytest.mark.parametrize(
    "which", [pytest.param(key, marks=pytest.mark.thorough) if "seq2seq" in key else key for key in STAND_INS]
)
def test_a_stand_in_without_a_mistake_answers_as_the_reference(which: str) -> None:
    assignment, names = which.split()[0], STAND_INS[which]
    for case, prepared in drawn(assignment).prepared.items():
        program = prepared.program
        if program.device == "meta":
            continue
        expected = result_tables.table(program, prepared.expected_results)
        results = oracle.Player(assignment, program).shown(names)
        actual = result_tables.table(program, results)
        raised = {one.into for one in results if one.raised} - {
            one.into for one in prepared.expected_results if one.raised
        }
        assert not raised, case
        assert actual.keys() == expected.keys(), case
        off = [key for key in expected if not same_answer.same(actual[key], expected[key], program.dtype, key.what)]
        assert not off, case


def test_every_silent_form_has_its_reason() -> None:
    assert all(re.compile(form) and len(reason) > 20 for form, reason in SILENT.items())


def test_a_mistake_is_played_only_where_its_names_are_used() -> None:
    """And one with a value that differs keeps no gradients, which would only follow from it."""
    known = {one.id: one for one in mistakes.variants("masking")}
    for case, prepared in drawn("masking").prepared.items():
        used = {step.name for step in prepared.program.steps if isinstance(step, protocol.Call)}
        for one in drawn("masking").variant_answers(case):
            sorts = {what for _, what, _, _ in one.arrays}
            assert len(sorts) <= 1 or "value" not in sorts
            assert used & (known[one.variant].where or known[one.variant].names.keys())


def test_what_a_reference_uses_is_found_however_often_it_is_asked(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Reading a source has a budget. Equal questions take from it once."""
    (tmp_path / "reference.py").write_text("def g(x):\n    return -x\n\n\ndef f(x):\n    return g(x)\n")
    monkeypatch.setattr(mistakes.places, "of_courses", lambda: {"of_tests": tmp_path})
    monkeypatch.setattr(source, "MOST_NODES", 20)
    program = asked("case", call("f", "x"), {"out": np.ones(2)}, x=np.ones(2)).program
    found = [mistakes.used_in("of_tests", program) for _ in range(20)]
    assert all({"f", "g"} <= one for one in found)
