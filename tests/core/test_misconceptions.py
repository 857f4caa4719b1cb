"""The known mistakes: each shows somewhere, none is a right answer in disguise, and with all other witnesses they tell
every cause that an assignment can have."""

from __future__ import annotations

import ast
import re
from collections import Counter
from functools import cache
from pathlib import Path
from typing import Any

import pytest
import torch

from autograder import evidence, exam, misconceptions, model, oracle
from autograder.causes import CAUSES
from autograder.diagnose import patterns, signs, symptoms
from autograder.misconceptions import (
    bahdanau,
    luong,
    luong_attention,
    luong_local,
    masking_loss,
    masking_softmax,
    self_attention_parts,
    seq2seq_whole,
)
from autograder.model import TOPICS

# Variants that are made together with others, by a table, and give what is due in this topic.
SILENT = {
    r"(nan|uniform)-on-masked-row/.*-zeroed": "zeros in such rows are what is due",
    r"softmax-wrong-axis/.*softmax-(last|second)": "in some function it is the right axis",
    r"(greedy-not-beam|eos-not-final|)/Seq2Seq-(kept-one-|aside).*": "the other way of finishing has no such part",
    r"/Seq2Seq-greedy-max-len": "a sentence is cut where it would have ended",
    r"missing-zero-grad/train_step-optimizer-only": "the optimizers of the checks hold all parameters",
    r"wrong-parameters/.*-padding-idx": "no gradient at the word 0 was asked for there",
    r"nan-in-gradient/masked-filled": "the backward pass of masked_fill puts 0 there",
    r"/seen-epsilon-1e-06": "below what rounding is allowed to do",
}

# Which ids of the contract's section 5 an assignment can have, beside those of any assignment.
NOT_IN = {
    "masking": {"missing-tanh", "wrong-activation", "context-from-projections"},
    "self_attention": {"missing-tanh", "wrong-activation"},
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
    "self_attention": MASKS + """values-not-projected query-key-swapped heads-mixed missing-output-projection
        sin-cos-swapped wrong-frequency temperature-multiplies wrong-log-base nan-at-zero-weight""",
    "masking": MASKS + """causal-excludes-self causal-reversed padding-off-by-one loss-counts-padding
        loss-mean-of-means mask-not-used""",
    "seq2seq": MASKS + """query-after-step query-before-step padding-changes-state mask-not-used wrong-final-state
        teacher-forcing-shifted no-input-feeding context-missing-from-output state-not-carried eos-not-final
        missing-zero-grad missing-clip clip-by-value greedy-not-beam bleu-no-brevity-penalty bleu-no-clipping
        loss-counts-padding loss-mean-of-means padding-off-by-one missing-decoder-term missing-encoder-term
        concat-order-swapped""",
}  # fmt: skip
WHOLE: dict[str, Any] = seq2seq_whole.WHOLE
# What variants are made of, with no part replaced: answers as the references do.
STAND_INS: dict[str, dict[str, Any]] = {
    "bahdanau": {"BahdanauAttention": bahdanau.attention()},
    "luong": luong_attention.attention()
    | luong_local.local()
    | luong.hidden(lambda c, s, W: torch.tanh(torch.cat([c, s], -1) @ W.T)),
    "masking": {
        "masked_attention": masking_softmax.attention(),
        "masked_cross_entropy": masking_loss.loss(),
    },
    "self_attention": self_attention_parts.everywhere() | {"self_attention": self_attention_parts.bare()},
    "seq2seq": WHOLE,
    "seq2seq aside": WHOLE | {"Seq2Seq": seq2seq_whole.seq2seq(finished="aside")},
    "seq2seq early": WHOLE | {"Seq2Seq": seq2seq_whole.seq2seq(finished="early")},
}


@cache
def questions(topic: str) -> exam.Exam:
    """A topic's exam."""
    return exam.full(topic, "one", timing=False)


@pytest.mark.parametrize("topic", TOPICS)
class TestVariants:
    """Of every topic."""

    def test_ids_are_unique_and_causes_known(self, topic: str) -> None:
        known = misconceptions.variants(topic)
        assert not [name for name, count in Counter(one.id for one in known).items() if count > 1]
        assert {one.cause for one in known} <= {*CAUSES, ""}

    def test_each_shows_in_some_case(self, topic: str) -> None:
        ids = {one.id for one in misconceptions.variants(topic)}
        shown = {one.variant for case in questions(topic).prepared for one in questions(topic).mistaken(case)}
        assert shown <= ids
        silent = {name for name in ids - shown if not any(re.fullmatch(form, name) for form in SILENT)}
        assert not silent

    def test_with_the_other_witnesses_they_tell_every_cause(self, topic: str) -> None:
        told = {one.cause for one in misconceptions.variants(topic)} | witnessed()
        due = {*FROM_ANY.split(), *OWN[topic].split()} - NOT_IN.get(topic, set())
        assert due <= CAUSES.keys()
        assert not due - told

    def test_those_of_one_case_differ_from_what_is_due(self, topic: str) -> None:
        for case, prepared in questions(topic).prepared.items():
            due = evidence.table(prepared.program, prepared.expected)
            for one in questions(topic).mistaken(case):
                assert one.arrays or one.raises
                for step, what, name, _ in one.arrays:
                    assert (step, what, name) in due


def witnessed() -> set[str]:
    """The causes that symptoms, patterns and signs can tell."""
    tree = ast.parse(Path(symptoms.__file__).read_text(encoding="utf-8"))
    texts = {str(node.value) for node in ast.walk(tree) if isinstance(node, ast.Constant)}
    return {*patterns.PATTERNS, *signs.SIGNS, *(texts & CAUSES.keys())}


@pytest.mark.parametrize("which", STAND_INS)
def test_a_stand_in_without_a_mistake_answers_as_the_reference(which: str) -> None:
    topic, names = which.split()[0], STAND_INS[which]
    for case, prepared in questions(topic).prepared.items():
        program = prepared.program
        if program.device == "meta":
            continue
        due = evidence.table(program, prepared.expected)
        seen = oracle.shown(topic, program, names)
        came = evidence.table(program, seen)
        raised = {one.into for one in seen if one.raised} - {
            one.into for one in prepared.expected if one.raised
        }
        assert not raised, case
        assert came.keys() == due.keys(), case
        off = [key for key in due if not evidence.same(came[key], due[key], program.dtype, key.what)]
        assert not off, case


def test_every_silent_form_has_its_reason() -> None:
    assert all(re.compile(form) and len(reason) > 20 for form, reason in SILENT.items())


def test_a_mistake_is_played_only_where_its_names_are_used() -> None:
    """And one with a value that differs keeps no gradients, which would only follow from it."""
    known = {one.id: one for one in misconceptions.variants("masking")}
    for case, prepared in questions("masking").prepared.items():
        used = {step.name for step in prepared.program.steps if isinstance(step, model.Call)}
        for one in questions("masking").mistaken(case):
            sorts = {what for _, what, _, _ in one.arrays}
            assert len(sorts) <= 1 or "value" not in sorts
            assert used & (known[one.variant].where or known[one.variant].names.keys())
