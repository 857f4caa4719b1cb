"""Every id of the contract has its words, and so has each that an assignment declares beside them."""

from __future__ import annotations

import re

import pytest

from autograder import assignments, model
from autograder.feedback import messages
from autograder.feedback.causes import CAUSES
from tests.paths import ROOT

# Section 5 of the contract, word by word.
TEXT = """
softmax-wrong-axis missing-softmax not-softmax softmax-unstable hard-attention missing-scale wrong-scale detached-graph
modifies-input dtype-hardcoded device-hardcoded ignores-batch squeeze-drops-dim returns-swapped mean-not-sum stateful
random-in-eval hardcoded-answer silent-broadcast wrong-parameters not-implemented forbidden-call too-slow missing-tanh
wrong-activation context-from-projections argument-ignored wrong-exception
missing-decoder-term missing-encoder-term vjp-diagonal-only vjp-missing-mean
general-transposed concat-order-swapped cosine-not-dot window-off-by-one no-window wrong-sigma no-gaussian
renormalised-window
values-not-projected query-key-swapped heads-mixed missing-output-projection sin-cos-swapped sin-cos-halves
wrong-frequency
temperature-multiplies wrong-log-base nan-at-zero-weight
mask-inverted mask-after-softmax mask-multiplies-scores mask-leaks mask-wrong-axis causal-excludes-self causal-reversed
padding-off-by-one nan-on-masked-row uniform-on-masked-row nan-in-gradient loss-counts-padding loss-mean-of-means
query-after-step query-before-step padding-changes-state mask-not-used wrong-final-state teacher-forcing-shifted
no-input-feeding context-missing-from-output state-not-carried eos-not-final missing-zero-grad missing-clip
clip-by-value greedy-not-beam length-normalised mask-from-pad-id bleu-no-brevity-penalty bleu-no-clipping
bleu-smoothed bleu-mean-of-sentences
"""
CONTRACT = TEXT.split()
# Common mistakes without an id there.
OWN = {
    "clip-always",
    "contiguous-only",
    "mask-from-values",
    "too-much-memory",
    "no-update",
    "distance-not-squared",
    "strided-relative",
    "strided-excludes-self",
    "window-one-sided",
    "first-state-not-used",
    "probabilities-added",
    "sum-wrong-axis",
    "tanh-before-sum",
    "vjp-missing-weight",
    "bleu-arithmetic-mean",
    "bleu-wrong-orders",
    "context-missing-from-input",
    "keys-averaged",
    "output-from-old-state",
    "projections-not-added",
    "softmax-twice",
    "targets-smoothed",
    "teacher-forcing-not-used",
    "epsilon-too-large",
    "position-left-out",
    "weights-not-used",
    "gaussian-inverted",
    "center-rounded",
    "projection-reused",
    "projection-transposed",
    "weights-applied-twice",
    "weights-softmaxed",
    "first-fed-not-zero",
    "beam-last-word-only",
    "beam-words-mixed",
    "finished-first",
    "search-ends-early",
}
# A line to write: a call with its arguments, an assignment, or an operator between names.
CODE = re.compile(r"\w\.\w+\(\w|\w\([^)]*[=,][^)]*\)|(?<![<>=!+-])=(?!=)\s*\w+[.(\[]|\w @ \w|->|dim=-?\d|\[:")


def of_pages() -> set[str]:
    """The ids of assignments that have a page of their own for their contract, which must name each."""
    found = set()
    for name in assignments.NAMES:
        page = ROOT / "docs" / f"contract-{name}.md"
        if page.is_file():
            own = set(assignments.declared(name, "causes", "CAUSES", {}))
            assert own <= set(re.findall(r"`([a-z0-9-]+)`", page.read_text(encoding="utf-8")))
            found |= own
    return found


def test_every_id_has_words_and_nothing_else_has() -> None:
    assert len(CONTRACT) == len(set(CONTRACT)) == 83
    assert {*CONTRACT, *OWN, *of_pages()} == set(CAUSES)


@pytest.mark.parametrize("cause", CAUSES)
def test_a_cause_has_a_sentence_and_a_hint(cause: str) -> None:
    told = CAUSES[cause]
    for text in told:
        assert 15 <= len(text) <= 250
        assert text == " ".join(text.split())
        assert text[-1] in ".?"
        assert text.isprintable()
    assert told.sentence[0].isupper()
    assert told.sentence[-1] == "."
    assert told.sentence != told.hint


@pytest.mark.parametrize("cause", CAUSES)
def test_no_words_are_a_line_to_write(cause: str) -> None:
    for text in CAUSES[cause]:
        assert not CODE.search(text), text


@pytest.mark.parametrize(
    "line",
    [
        "Use torch.softmax(scores, dim=-1).",
        "Write x = scores.max().",
        "Return context, weights: weights @ states.",
        "Take scores[:, None].",
        "Call self.W_h(encoder_states, mask).",
    ],
)
def test_a_line_to_write_would_be_seen(line: str) -> None:
    assert CODE.search(line)


@pytest.mark.parametrize("cause", CAUSES)
def test_a_sentence_holds_for_any_inputs(cause: str) -> None:
    """So that it can be told of hidden checks: it names no size but 1, the axis that may be dropped."""
    assert not set(re.findall(r"\d+", CAUSES[cause].sentence)) - {"1", "0"}


@pytest.mark.parametrize("hidden", [True, False])
def test_a_message_ends_with_the_cause(hidden: bool) -> None:
    finding = model.Finding("negative-weights", "out", {"output": "weights"})
    text = messages.message(finding, None, hidden, cause=CAUSES["missing-softmax"])
    plain = messages.message(finding, None, hidden, cause=None)
    assert plain.endswith(" has negative entries.")
    assert text == f"{plain} Cause: {CAUSES['missing-softmax'].sentence}"


@pytest.mark.parametrize("cause", CAUSES)
def test_the_hint_leads_to_the_handout(cause: str) -> None:
    assert messages.hint(CAUSES[cause], "Part") == f'{CAUSES[cause].hint} See "Part" in the handout.'
